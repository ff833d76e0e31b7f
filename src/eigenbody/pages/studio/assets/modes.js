// The table of modes: a row chooses the mode that moves and that knobs are judged by.

import { $, few, make } from "./dom.js";

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
  line.on("state", (m) => {
    if (rows.length !== m.modes.length) build(m.modes.length);
    m.modes.forEach((mode, i) => {
      const { row, cells, pick } = rows[i];
      cells[0].textContent = few(mode.hz, 5);
      cells[1].textContent = few(mode.natural_hz, 5);
      cells[2].textContent = mode.damping === null ? "" : few(mode.damping, 4);
      row.className = `${mode.stability}${i === m.selected ? " chosen" : ""}`;
      pick.setAttribute("aria-pressed", String(i === m.selected));
    });
  });
  line.on("detail", (m) => m.labels.forEach((label, i) => { if (rows[i]) rows[i].cells[3].textContent = label; }));
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
