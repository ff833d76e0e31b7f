// The table of modes: a row chooses the mode that moves and that knobs are judged by.

import { $, few, make, paced } from "./dom.js";

const PAUSE = 100; // milliseconds between two numbers that an eye can read

export function makeModes({ line, now }, knobs) {
  const body = $("modes").tBodies[0];
  /** @type {{row: any, cells: any[], pick: any}[]} */
  let rows = [];

  function build(count) {
    rows = [...Array(count).keys()].map((i) => {
      const pick = make("button", { type: "button", class: "pick", "aria-label": `Mode ${i + 1}`, "aria-pressed": "false", text: String(i + 1) });
      const cells = [make("td", { class: "num" }), make("td", { class: "num" }), make("td", { class: "num" }), make("span", { class: "quiet" })];
      const row = make("tr", { "data-mode": i, onclick: () => knobs.turn(i) }, make("td", {}, pick, " ", cells[3]), ...cells.slice(0, 3));
      return { row, cells, pick };
    });
    body.replaceChildren(...rows.map((r) => r.row));
  }
  const write = (cell, text) => { if (cell.firstChild) { if (cell.firstChild.data !== text) cell.firstChild.data = text; } else cell.textContent = text; };
  const show = paced(() => {
    const m = now.state;
    if (rows.length !== m.modes.length) build(m.modes.length);
    m.modes.forEach((mode, i) => {
      const { row, cells, pick } = rows[i];
      write(cells[0], few(mode.hz, 5));
      write(cells[1], few(mode.natural_hz, 5));
      write(cells[2], mode.damping === null ? "" : few(mode.damping, 4));
      const name = `${mode.stability}${i === m.selected ? " chosen" : ""}`;
      if (row.className !== name) { row.className = name; pick.setAttribute("aria-pressed", String(i === m.selected)); }
    });
    now.labels.forEach((label, i) => { if (rows[i]) write(rows[i].cells[3], label); });
  }, PAUSE);
  line.on("state", show);
  line.on("detail", () => { if (now.state) show(); });
  addEventListener("pick", (/** @type {any} */ event) => knobs.turn(event.detail));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, now.selected + step));
    rows[next].pick.focus();
    knobs.turn(next);
  });
}
