// How the score depends on each axis: every setting as a dot, and the best that the other axes allow as a line.
"use strict";

const MOST_DOTS = 2000;
const MOST_TICKS = 8; // that are the places themselves

function drawSensitivity(data) {
  const room = document.getElementById("sensitivity");
  room.replaceChildren(...data.axes.map((one, i) => card(data, one, i)));
  data.axes.forEach((one, i) => new Sensitivity(data, one, i));
}

function card(data, one, i) {
  const canvas = element("canvas", { id: `axis${i}`, tabIndex: 0, role: "img" });
  return element(
    "section",
    { className: "small" },
    element("h3", { id: `axis${i}-name`, textContent: one.short, title: one.name }),
    element("div", { className: "chart" }, canvas),
    ...worldsOf(one),
    element("p", { id: `axis${i}-told`, className: "readout", "aria-live": "polite" }),
  );
}

/** Which line is which world, if there are several. */
function worldsOf(one) {
  if (one.lines.length < 2) return [];
  const worlds = one.lines.map(({ world }, slot) =>
    element("li", {}, swatch(slot), element("span", { textContent: world })),
  );
  return [element("ul", { className: "legend" }, ...worlds)];
}

class Sensitivity {
  constructor(data, one, i) {
    this.data = data;
    this.axis = one;
    this.every = Math.ceil(data.settings.length / MOST_DOTS);
    this.readout = document.getElementById(`axis${i}-told`);
    this.readout.textContent = this.first();
    const canvas = document.getElementById(`axis${i}`);
    canvas.setAttribute("aria-label", this.told());
    const datasets = [...one.lines.map((line, slot) => this.line(line, slot)), this.dots()];
    const scored = datasets
      .flatMap((set) => set.data.flatMap(({ y, low, high }) => [y, low, high]))
      .filter(there);
    this.lowest = scored.reduce((a, b) => Math.min(a, b), Infinity);
    this.highest = scored.reduce((a, b) => Math.max(a, b), -Infinity);
    this.logY = this.lowest > 0 && this.highest > 3 * this.lowest;
    this.chart = new Chart(canvas, {
      type: "line",
      data: { datasets },
      options: this.options(),
      plugins: [this.whiskers()],
    });
    this.keyboard(canvas);
  }

  options() {
    const { axis: one } = this;
    const x = { ...axis(one.short, one.log), ...this.ends() };
    if (!one.numbers || one.at.length <= MOST_TICKS)
      x.afterBuildTicks = (scale) => {
        scale.ticks = [...one.at].sort((a, b) => a - b).map((value) => ({ value }));
      };
    x.ticks.callback = (value) => this.label(value);
    return {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      interaction: { mode: "nearest", intersect: false },
      onHover: (_, found) => {
        if (found.length) this.tell(found[0].datasetIndex, found[0].index);
      },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales: { x, y: { ...axis(this.data.goal.metric, this.logY), ...this.heights() } },
    };
  }

  label(value) {
    const label = this.axis.labels[this.axis.at.indexOf(value)] ?? digits(value);
    return label.length > 14 ? `${label.slice(0, 13)}…` : label;
  }

  heights() {
    const { lowest, highest, logY } = this;
    if (lowest > highest) return {};
    if (logY) return { min: lowest / 1.12, max: highest * 1.12 };
    const room = 0.06 * (highest - lowest || Math.abs(highest) || 1);
    return { min: lowest - room, max: highest + room };
  }

  ends() {
    const low = Math.min(...this.axis.at);
    const high = Math.max(...this.axis.at);
    if (this.axis.log) return { min: low / 1.25, max: high * 1.25 };
    const room = this.axis.numbers ? 0.05 * (high - low) : 0.4;
    return { min: low - room, max: high + room };
  }

  point(setting) {
    const place = this.data.settings[setting].at[this.data.axes.indexOf(this.axis)];
    const [y, low, high] = this.data.settings[setting].score;
    return { x: this.axis.at[place], y, low, high, setting };
  }

  line(line, slot) {
    const colour = () => colourOf(slot);
    return {
      data: line.settings.map((setting) => this.point(setting)).sort((a, b) => a.x - b.x),
      world: line.world,
      borderColor: colour,
      backgroundColor: colour,
      borderDash: dashOf(slot),
      borderWidth: 2.2,
      pointRadius: 4,
      pointHoverRadius: 6,
    };
  }

  dots() {
    const points = this.data.settings
      .map((_, setting) => setting)
      .filter(
        (setting) =>
          setting % this.every === 0 &&
          this.data.settings[setting].seeds &&
          this.data.settings[setting].at[this.data.axes.indexOf(this.axis)] !== null,
      )
      .map((setting) => this.point(setting));
    return {
      data: points,
      showLine: false,
      pointRadius: 2.5,
      pointHoverRadius: 5,
      pointBackgroundColor: () => ink.faint,
      pointBorderWidth: 0,
    };
  }

  whiskers() {
    return {
      id: "whiskers",
      beforeDatasetsDraw: ({ ctx, data, scales: { x, y }, chartArea: area }) => {
        ctx.save();
        ctx.beginPath();
        ctx.rect(area.left, area.top, area.width, area.height);
        ctx.clip();
        ctx.lineWidth = 1.6;
        data.datasets
          .filter((set) => "world" in set)
          .forEach((set, slot) => {
            ctx.strokeStyle = colourOf(slot);
            for (const point of set.data.filter(({ low }) => low !== null)) {
              ctx.beginPath();
              ctx.moveTo(x.getPixelForValue(point.x), y.getPixelForValue(point.low));
              ctx.lineTo(x.getPixelForValue(point.x), y.getPixelForValue(point.high));
              ctx.stroke();
            }
          });
        ctx.restore();
      },
    };
  }

  first() {
    const dots = this.every === 1 ? "Dots: every setting." : `Dots: one in ${this.every} settings.`;
    return this.axis.lines.length
      ? `Line: the best that the other axes allow, with intervals. ${dots}`
      : dots;
  }

  told() {
    const lines = this.axis.lines.map(
      (line) =>
        `${line.world} ` +
        line.settings
          .map((setting, i) => {
            const { score, seeds } = this.data.settings[setting];
            return `${this.axis.labels[line.at[i]]}: ${digits(score[0])}${range(score[1], score[2])}, ${count(seeds, "seed")}`;
          })
          .join("; "),
    );
    return `${this.data.goal.metric} against ${this.axis.name}. ${lines.join(". ")}`;
  }

  tell(set, index) {
    const { setting } = this.chart.data.datasets[set].data[index];
    const { name, score, seeds } = this.data.settings[setting];
    this.readout.textContent = `${name}: ${digits(score[0])}${range(score[1], score[2])}, ${count(seeds, "seed")}`;
  }

  /** Arrow keys go from place to place on the first line. */
  keyboard(canvas) {
    let at = -1;
    canvas.addEventListener("keydown", (event) => {
      const points = this.chart.data.datasets[0].data;
      if (event.key === "ArrowRight") at = Math.min(points.length - 1, at + 1);
      else if (event.key === "ArrowLeft") at = Math.max(0, at - 1);
      else return;
      event.preventDefault();
      this.chart.setActiveElements([{ datasetIndex: 0, index: at }]);
      this.chart.update("none");
      this.tell(0, at);
    });
  }
}
