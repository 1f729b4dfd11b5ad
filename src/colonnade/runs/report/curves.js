// Learning curves: the mean over seeds of some settings, with intervals, seeds and the best possible.
"use strict";

class Curves {
  constructor(data) {
    this.data = data;
    this.metric = data.metrics[0];
    this.slots = new Map(); // of settings that have a curve, to colours
    this.hidden = new Set();
    this.seen = { intervals: true, seeds: false, logX: false, logY: false };
    this.span = null; // of steps; null: all
    this.cursor = null; // a step
    this.focus = null; // the setting that stands out
    this.listeners = [];
    data.first.forEach((setting) => this.slots.set(setting, this.slots.size));
    this.seen.logY = this.wideRange();
    const canvas = document.getElementById("curves");
    this.chart = new Chart(canvas, {
      type: "line",
      data: { datasets: [] },
      options: this.options(),
      plugins: [this.layers()],
    });
    this.fit();
  }

  options() {
    return {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      events: [],
      parsing: false,
      normalized: true,
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      elements: { point: { radius: 0 }, line: { borderWidth: 2.2, borderJoinStyle: "round" } },
      scales: { x: axis("step", false), y: axis("", false) },
    };
  }

  curve(setting) {
    return this.metric.curves[setting];
  }
  grid(part) {
    return this.data.grids[part.grid];
  }
  visible() {
    return [...this.slots.keys()].filter((setting) => !this.hidden.has(setting));
  }

  /** Whether the means on show are all above 0 and differ much. */
  wideRange() {
    const means = this.visible()
      .flatMap((setting) => this.curve(setting).mean)
      .filter((value) => value !== null);
    return means.length > 0 && Math.min(...means) > 0 && Math.max(...means) > 5 * Math.min(...means);
  }

  ends() {
    const grids = this.visible()
      .map((setting) => this.grid(this.curve(setting)))
      .filter((grid) => grid.length);
    return grids.length
      ? [Math.min(...grids.map((g) => g[0])), Math.max(...grids.map((g) => g.at(-1)))]
      : [0, 1];
  }

  /** Everything anew: lines, axes, what listens. */
  fit() {
    const { seen, chart } = this;
    chart.data.datasets = [...this.slots].map(([setting, slot]) => this.line(setting, slot));
    const [first, last] = this.ends();
    const [from, to] = this.span ?? [seen.logX ? first : 0, last];
    const x = { ...axis("step", seen.logX), min: from, max: to };
    x.ticks.callback = (value) => steps.format(value);
    const y = { ...axis(this.metric.name, seen.logY), ...this.heights(from, to) };
    chart.options.scales = { x, y };
    chart.update("none");
    chart.canvas.setAttribute("aria-label", this.told());
    this.listeners.forEach((listen) => listen());
  }

  line(setting, slot) {
    const { mean } = this.curve(setting);
    const data = this.grid(this.curve(setting)).map((step, i) => ({ x: step, y: this.drawable(mean[i]) }));
    return {
      data,
      setting,
      borderColor: () => colourOf(slot) + (this.focus === null || this.focus === setting ? "" : "40"),
      borderDash: dashOf(slot),
      hidden: this.hidden.has(setting),
    };
  }

  drawable(value) {
    return value === null || (this.seen.logY && value <= 0) ? NaN : value;
  }

  /** What the vertical axis goes from and to. */
  heights(from, to) {
    let [low, high] = [Infinity, -Infinity];
    for (const setting of this.visible()) {
      const curve = this.curve(setting);
      this.grid(curve).forEach((step, i) => {
        if (step < from || step > to || Number.isNaN(this.drawable(curve.mean[i]))) return;
        const banded = this.seen.intervals && curve.low && !Number.isNaN(this.drawable(curve.low[i]));
        low = Math.min(low, banded ? curve.low[i] : curve.mean[i]);
        high = Math.max(high, this.seen.intervals && curve.high ? curve.high[i] : curve.mean[i]);
      });
    }
    if (low > high) return {};
    low = this.withBest(low, high);
    if (this.seen.logY) return { min: low / 1.1, max: high * 1.1 };
    const room = 0.04 * (high - low || Math.abs(high) || 1);
    return { min: low - room, max: high + room };
  }

  /** Down to the best possible, unless that would leave the curves less than half of the height. */
  withBest(low, high) {
    const scale = this.seen.logY ? Math.log : (value) => value;
    const levels = this.visible().map((setting) => this.drawable(this.metric.best[setting] ?? null));
    const lowest = Math.min(low, ...levels.filter((level) => !Number.isNaN(level)));
    return scale(high) - scale(lowest) <= 2 * (scale(high) - scale(low)) ? lowest : low;
  }

  told() {
    const parts = this.visible().map((setting) => {
      const { name, score, seeds } = this.data.settings[setting];
      return `${name}: score ${digits(score[0])}, ${count(seeds, "seed")}`;
    });
    return (
      `Learning curves of ${this.metric.name} against steps. ${parts.join("; ")}. ` +
      "Arrow keys move along the steps, plus and minus zoom, Escape shows all."
    );
  }

  // ---- what is drawn beneath and above the lines ----

  layers() {
    return {
      id: "layers",
      beforeDatasetsDraw: (chart) =>
        this.clipped(chart, () => {
          for (const setting of this.visible()) {
            if (this.seen.intervals) this.band(chart, setting);
            if (this.seen.seeds) this.seedLines(chart, setting);
          }
          this.bestPossible(chart);
        }),
      afterDatasetsDraw: (chart) => this.clipped(chart, () => this.cross(chart)),
    };
  }

  clipped({ ctx, chartArea: area }, draw) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left, area.top, area.width, area.height);
    ctx.clip();
    draw();
    ctx.restore();
  }

  band({ ctx, scales: { x, y } }, setting) {
    const curve = this.curve(setting);
    if (!curve.low) return;
    const grid = this.grid(curve);
    const floor = (value) => y.getPixelForValue(this.seen.logY ? Math.max(value, y.min / 2) : value);
    ctx.fillStyle = colourOf(this.slots.get(setting));
    ctx.globalAlpha = 0.17;
    for (const [start, end] of pieces(curve.low)) {
      ctx.beginPath();
      for (let i = start; i < end; i++) ctx.lineTo(x.getPixelForValue(grid[i]), floor(curve.high[i]));
      for (let i = end - 1; i >= start; i--) ctx.lineTo(x.getPixelForValue(grid[i]), floor(curve.low[i]));
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  }

  seedLines({ ctx, scales: { x, y } }, setting) {
    const part = this.metric.seeds[setting];
    const grid = this.grid(part);
    ctx.strokeStyle = colourOf(this.slots.get(setting));
    ctx.globalAlpha = 0.4;
    ctx.lineWidth = 1;
    for (const line of part.lines) {
      const values = line.map((value) => (Number.isNaN(this.drawable(value)) ? null : value));
      for (const [start, end] of pieces(values)) {
        ctx.beginPath();
        for (let i = start; i < end; i++)
          ctx.lineTo(x.getPixelForValue(grid[i]), y.getPixelForValue(values[i]));
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
  }

  bestPossible({ ctx, chartArea: area, scales: { y } }) {
    const levels = new Set(this.visible().map((setting) => this.metric.best[setting]));
    ctx.strokeStyle = ctx.fillStyle = ink.best;
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "right";
    for (const level of levels) {
      if (level === undefined || Number.isNaN(this.drawable(level))) continue;
      const at = y.getPixelForValue(level);
      ctx.setLineDash([6, 4]);
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.moveTo(area.left, at);
      ctx.lineTo(area.right, at);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.fillText("best possible", area.right - 4, at - 5);
    }
  }

  cross({ ctx, chartArea: area, scales: { x, y } }) {
    if (this.cursor === null) return;
    const at = x.getPixelForValue(this.cursor);
    ctx.fillStyle = ink.faint;
    ctx.fillRect(at - 0.5, area.top, 1, area.height);
    for (const setting of this.visible()) {
      const value = this.drawable(this.reading(setting).mean);
      if (Number.isNaN(value)) continue;
      ctx.fillStyle = colourOf(this.slots.get(setting));
      ctx.beginPath();
      ctx.arc(at, y.getPixelForValue(value), 3.5, 0, 7);
      ctx.fill();
    }
  }

  // ---- what is asked of it ----

  /** A curve's values at the cursor: the reading that is of that step. */
  reading(setting) {
    const curve = this.curve(setting);
    const grid = this.grid(curve);
    let i = grid.findIndex((step) => step >= this.cursor);
    if (i < 0) i = grid.length;
    const at = (part) => (part && i < part.length ? part[i] : null);
    return {
      mean: at(curve.mean),
      low: at(curve.low),
      high: at(curve.high),
      runs: Array.isArray(curve.runs) ? at(curve.runs) : curve.runs,
    };
  }

  point(step) {
    this.cursor = step;
    this.chart.draw();
    this.listeners.forEach((listen) => listen());
  }

  standOut(setting) {
    this.focus = setting;
    this.chart.update("none");
  }

  zoom(span) {
    const [first, last] = this.ends();
    const [from, to] = span
      ? [Math.max(Math.min(...span), this.seen.logX ? first : 0), Math.min(Math.max(...span), last)]
      : [0, 0];
    this.span = span && to > from ? [from, to] : null;
    this.fit();
  }

  toggle(setting) {
    if (!this.hidden.delete(setting)) this.hidden.add(setting);
    this.fit();
  }

  show(setting, wanted) {
    if (wanted) {
      const taken = new Set(this.slots.values());
      let slot = 0;
      while (taken.has(slot)) slot++;
      this.slots.set(setting, slot);
    } else this.slots.delete(setting);
    this.hidden.delete(setting);
    this.fit();
  }

  set(name, value) {
    if (name === "metric") {
      this.metric = this.data.metrics[value];
      this.seen.logY = this.wideRange();
    } else this.seen[name] = value;
    if (name === "logX") this.span = null;
    this.fit();
  }
}

/** Where there are values: starts and ends of what has no gap. */
function pieces(values) {
  const found = [];
  let start = null;
  for (let i = 0; i <= values.length; i++) {
    const there = i < values.length && values[i] !== null;
    if (there && start === null) start = i;
    if (!there && start !== null) {
      found.push([start, i]);
      start = null;
    }
  }
  return found;
}
