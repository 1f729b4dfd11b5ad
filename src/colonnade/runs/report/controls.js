// What the learning curves are steered with: buttons, the legend, a pointer or a finger, the keyboard.
"use strict";

function drawCurves(data) {
  readTheme();
  const curves = new Curves(data);
  controls(curves);
  legend(curves);
  pointer(curves);
  keyboard(curves);
  return curves;
}

function controls(curves) {
  const metric = document.getElementById("metric");
  metric.replaceChildren(
    ...curves.data.metrics.map(({ name }, i) => element("option", { value: i, textContent: name })),
  );
  metric.addEventListener("change", () => curves.set("metric", Number(metric.value)));
  const boxes = [...document.querySelectorAll("[data-seen]")];
  for (const box of boxes) box.addEventListener("change", () => curves.set(box.dataset.seen, box.checked));
  document.getElementById("all").addEventListener("click", () => curves.zoom(null));
  const tell = () => {
    for (const box of boxes) box.checked = curves.seen[box.dataset.seen];
    document.getElementById("all").disabled = curves.span === null;
  };
  curves.listeners.push(tell);
  tell();
}

function legend(curves) {
  const list = document.getElementById("legend");
  const readout = document.getElementById("step");
  let entries = new Map();
  const tell = () => {
    if ([...entries.keys()].join() !== [...curves.slots.keys()].join()) {
      entries = new Map([...curves.slots].map(([setting, slot]) => [setting, entry(curves, setting, slot)]));
      list.replaceChildren(...[...entries.values()].map(({ item }) => item));
    }
    for (const [setting, { button, value }] of entries) {
      button.setAttribute("aria-pressed", String(!curves.hidden.has(setting)));
      value.textContent = told(curves, setting);
    }
    readout.textContent =
      curves.cursor === null
        ? "Scores of finished runs. Point at the curves to read them; drag to zoom; press a name to hide its curve."
        : `At step ${Math.round(curves.cursor).toLocaleString("en")}:`;
  };
  curves.listeners.push(tell);
  tell();
}

function told(curves, setting) {
  const { score, seeds } = curves.data.settings[setting];
  if (curves.cursor === null)
    return `${digits(score[0])}${range(score[1], score[2])} · ${count(seeds, "seed")}`;
  const { mean, low, high, runs } = curves.reading(setting);
  return `${digits(mean)}${range(low, high)} · ${count(runs ?? 0, "seed")}`;
}

function entry(curves, setting, slot) {
  const value = element("span", { className: "value" });
  const name = element("span", { className: "name", textContent: curves.data.settings[setting].name });
  const button = element("button", { type: "button" }, swatch(slot), name, value);
  button.addEventListener("click", () => curves.toggle(setting));
  for (const [begins, ends] of [
    ["pointerenter", "pointerleave"],
    ["focus", "blur"],
  ]) {
    button.addEventListener(begins, () => curves.standOut(setting));
    button.addEventListener(ends, () => curves.standOut(null));
  }
  return { item: element("li", {}, button), button, value };
}

function swatch(slot) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const all = {
    x1: 0,
    x2: 28,
    y1: 5,
    y2: 5,
    "stroke-width": 3.5,
    "stroke-dasharray": dashOf(slot).join(" "),
  };
  for (const [name, value] of Object.entries(all)) line.setAttribute(name, value);
  line.setAttribute("stroke", `var(--c${slot % COLOURS})`);
  made.setAttribute("viewBox", "0 0 28 10");
  made.setAttribute("aria-hidden", "true");
  made.append(line);
  return made;
}

/** Pointing reads, dragging zooms, a double click or tap shows all. */
function pointer(curves) {
  const { chart } = curves;
  const canvas = chart.canvas;
  const stepAt = (event) => {
    const { left, right } = chart.chartArea;
    const at = Math.min(right, Math.max(left, event.offsetX));
    return { at, step: chart.scales.x.getValueForPixel(at) };
  };
  const mark = element("div", { hidden: true, className: "mark" });
  canvas.parentElement.append(mark);
  let began = null;
  canvas.addEventListener("pointerdown", (event) => {
    began = stepAt(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = stepAt(event);
    curves.point(now.step);
    mark.hidden = began === null || Math.abs(now.at - began.at) < 6;
    if (!mark.hidden) place(mark, chart.chartArea, began.at, now.at);
  });
  canvas.addEventListener("pointerup", (event) => {
    const now = stepAt(event);
    if (!mark.hidden) curves.zoom([began.step, now.step]);
    else curves.point(now.step);
    mark.hidden = true;
    began = null;
  });
  canvas.addEventListener("pointercancel", () => {
    mark.hidden = true;
    began = null;
  });
  canvas.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") curves.point(null); // a finger leaves whenever it is lifted
  });
  canvas.addEventListener("dblclick", () => curves.zoom(null));
}

function place(mark, area, from, to) {
  mark.style.left = `${Math.min(from, to)}px`;
  mark.style.width = `${Math.abs(to - from)}px`;
  mark.style.top = `${area.top}px`;
  mark.style.height = `${area.height}px`;
}

function keyboard(curves) {
  const canvas = curves.chart.canvas;
  const moves = { ArrowLeft: -1, ArrowRight: 1 };
  const zooms = { "+": 0.5, "=": 0.5, "-": 2 };
  canvas.addEventListener("keydown", (event) => {
    const { min, max } = curves.chart.scales.x;
    const now = curves.cursor ?? (min + max) / 2;
    if (event.key in moves)
      curves.point(Math.min(max, Math.max(min, now + (moves[event.key] * (max - min)) / 50)));
    else if (event.key in zooms) {
      const half = ((max - min) / 2) * zooms[event.key];
      curves.zoom([now - half, now + half]);
    } else if (event.key === "Escape") curves.zoom(null);
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("blur", () => curves.point(null));
}
