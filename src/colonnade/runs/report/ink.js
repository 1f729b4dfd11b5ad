// Colours from the style sheet, light or dark, and how numbers are written.
"use strict";

const COLOURS = 8;
const ink = {};

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "card", "ink", "soft", "rule", "faint", "best", "accent"])
    ink[name] = style.getPropertyValue(`--${name}`).trim();
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  ink.curves = Array.from({ length: COLOURS }, (_, i) => style.getPropertyValue(`--c${i}`).trim());
}

function whenThemeChanges(redraw) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readTheme();
    redraw();
  });
}

const colourOf = (slot) => ink.curves[slot % COLOURS];
const dashOf = (slot) => [[], [7, 4], [2, 3]][Math.floor(slot / COLOURS) % 3];

/** A number in four digits, or as many as are asked for. */
function digits(value, many = 4) {
  if (!there(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e5)) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(many)));
}

const there = (value) => value !== null && value !== undefined;
const count = (n, what) => `${n.toLocaleString("en")}\u00a0${what}${n === 1 ? "" : "s"}`;
const range = (low, high) => (there(low) ? ` (${digits(low, 3)} to ${digits(high, 3)})` : "");
const steps = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

function duration(seconds) {
  if (seconds === null) return "–";
  if (seconds < 100) return `${Number(seconds.toPrecision(2))} s`;
  return seconds < 5940 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Round numbers on a logarithm's axis: powers of ten if there are enough of them, or some between. */
function logTicks({ min, max }) {
  for (const rounds of [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]]) {
    const found = [];
    for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++)
      for (const round of rounds) found.push(Number(`${round}e${power}`));
    const ticks = found.filter((value) => value >= min && value <= max);
    if (ticks.length >= 4 || rounds.length > 3) return ticks.map((value) => ({ value }));
  }
}

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function axis(title, log) {
  return {
    type: log ? "logarithmic" : "linear",
    title: { display: Boolean(title), text: title, color: () => ink.soft },
    grid: { color: () => ink.rule, tickColor: () => ink.rule },
    border: { color: () => ink.rule },
    ticks: {
      color: () => ink.soft,
      maxRotation: 0,
      autoSkipPadding: 12,
      includeBounds: false,
      callback: (value) => digits(value),
    },
    ...(log && {
      afterBuildTicks: (scale) => {
        scale.ticks = logTicks(scale);
      },
    }),
  };
}
