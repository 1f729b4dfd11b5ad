// All settings in a table: sorted by any column, searched, and chosen for the curves.
"use strict";

const ROWS = 50;

function drawTable(data, curves) {
  const table = new Table(data, curves);
  const search = document.getElementById("search");
  search.addEventListener("input", () => table.find(search.value));
  document.getElementById("more").addEventListener("click", () => table.more());
  curves.listeners.push(() => table.tick());
}

class Table {
  constructor(data, curves) {
    Object.assign(this, { data, curves, wanted: "", rows: ROWS, by: null, down: false });
    this.columns = columnsOf(data);
    this.body = document.getElementById("settings-body");
    const head = this.columns.map((column) => this.heading(column));
    document
      .getElementById("settings-head")
      .replaceChildren(element("tr", {}, element("th", { scope: "col", textContent: "curve" }), ...head));
    this.fill();
  }

  heading(column) {
    const button = element("button", { type: "button", textContent: column.name });
    const head = element(
      "th",
      { scope: "col", className: column.number ? "n" : "", "aria-sort": "none" },
      button,
    );
    button.addEventListener("click", () => this.sort(column));
    column.head = head;
    return head;
  }

  sort(column) {
    this.down = this.by === column && !this.down;
    this.by = column;
    for (const other of this.columns) other.head.setAttribute("aria-sort", "none");
    column.head.setAttribute("aria-sort", this.down ? "descending" : "ascending");
    this.fill();
  }

  find(words) {
    this.wanted = words.toLowerCase();
    this.rows = ROWS;
    this.fill();
  }

  more() {
    this.rows += 4 * ROWS;
    this.fill();
  }

  /** Settings that are searched for, in order; what has no value comes last either way. */
  chosen() {
    const found = this.data.settings
      .map((setting, i) => [setting, i])
      .filter(
        ([{ name, digest }]) => name.toLowerCase().includes(this.wanted) || digest.startsWith(this.wanted),
      );
    if (!this.by) return found;
    const sign = this.down ? -1 : 1;
    const key = ([setting]) => this.by.key(setting);
    return found.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (!there(x) || !there(y)) return there(y) - there(x);
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
  }

  fill() {
    const found = this.chosen();
    this.body.replaceChildren(...found.slice(0, this.rows).map(([setting, i]) => this.row(setting, i)));
    const left = Math.max(0, found.length - this.rows);
    const more = document.getElementById("more");
    more.hidden = left === 0;
    more.textContent = `Show more of ${count(left, "setting")}`;
    document.getElementById("found").textContent = `${count(found.length, "setting")}`;
  }

  row(setting, i) {
    const box = element("input", { type: "checkbox", checked: this.curves.slots.has(i) });
    box.setAttribute("aria-label", `Show the curve of ${setting.name}`);
    box.dataset.setting = i;
    box.addEventListener("change", () => this.curves.show(i, box.checked));
    const cells = this.columns.map((column) =>
      element("td", { className: column.number ? "n" : "", textContent: column.text(setting) }),
    );
    return element("tr", {}, element("td", {}, box), ...cells);
  }

  tick() {
    for (const box of this.body.querySelectorAll("input"))
      box.checked = this.curves.slots.has(Number(box.dataset.setting));
  }
}

function columnsOf(data) {
  const axes = data.axes.map((one, a) => ({
    name: one.short,
    number: one.numbers,
    key: ({ at }) => (at[a] === null ? null : one.at[at[a]]),
    text: ({ at }) => (at[a] === null ? "–" : one.labels[at[a]]),
  }));
  const own = (name, key, text = (setting) => digits(key(setting))) => ({ name, key, text, number: true });
  return [
    ...(axes.length ? axes : [{ name: "setting", key: (s) => s.name, text: (s) => s.name }]),
    own(
      "seeds",
      (s) => s.seeds,
      (s) => (s.seeds === s.runs ? `${s.seeds}` : `${s.seeds} of ${s.runs}`),
    ),
    own(data.goal.metric, (s) => s.score[0]),
    {
      ...own("95 % interval", (s) => s.score[1]),
      text: (s) => range(s.score[1], s.score[2]).trim().slice(1, -1) || "–",
    },
    own("diverged", (s) => s.diverged),
    own("failed", (s) => s.failed),
    own(
      "a run took",
      (s) => s.seconds,
      (s) => duration(s.seconds),
    ),
    own(
      "memory",
      (s) => s.memory,
      (s) => (s.memory === null ? "–" : `${Math.round(s.memory / 1e6)} MB`),
    ),
  ];
}
