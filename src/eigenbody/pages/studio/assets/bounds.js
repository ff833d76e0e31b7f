// Bounds drawn by the mouse on a chart: a band of frequencies, or a line of equal damping from the origin. They become
// goals of Find.

import { few, make } from "./dom.js";

/** Value at a place of an axis, px from the left or upper edge of the chart. */
function valueAt(axis, place, isUp) {
  const share = (place - axis._offset) / axis._length, [low, high] = axis.range;
  const value = low + (isUp ? 1 - share : share) * (high - low);
  return axis.type === "log" ? 10 ** value : value;
}

/**
 * What is drawn between two points of a chart, as a goal; null where it means nothing.
 * @type {Record<string, (layout: any, from: number[], to: number[]) => {of: string, values: number[], said: string, box: number[]} | null>}
 */
const SHAPES = {
  across(layout, from, to) { // a band along the axis of frequencies
    const ends = [from[0], to[0]].sort((a, b) => a - b), values = ends.map((x) => Math.max(0, valueAt(layout.xaxis, x, false)));
    const lower = Object.keys(layout).filter((name) => /^yaxis\d*$/.test(name)).map((name) => layout[name]), top = Math.min(...lower.map((a) => a._offset)), bottom = Math.max(...lower.map((a) => a._offset + a._length));
    return { of: "outside", values, said: `no mode between ${few(values[0], 4)} and ${few(values[1], 4)} Hz`, box: [ends[0], top, ends[1] - ends[0], bottom - top] };
  },
  upward(layout, from, to) { // a band where frequencies go upward
    const ends = [from[1], to[1]].sort((a, b) => a - b), values = ends.map((y) => Math.max(0, valueAt(layout.yaxis, y, true))).reverse();
    return { of: "outside", values, said: `no mode between ${few(values[0], 4)} and ${few(values[1], 4)} Hz`, box: [layout.xaxis._offset, ends[0], layout.xaxis._length, ends[1] - ends[0]] };
  },
  damping(layout, _, to) { // through a point of the plane: its poles decay alike for their frequency
    const real = valueAt(layout.xaxis, to[0], false), imaginary = 2 * Math.PI * valueAt(layout.yaxis, to[1], true);
    if (real >= 0) return null;
    const ratio = -real / Math.hypot(real, imaginary);
    return { of: "damping_all", values: [100 * ratio], said: `damping of all modes above ${few(100 * ratio, 3)} %`, box: [] };
  },
};

/**
 * A button that lets one draw on a chart once.
 * @param {() => any} hostOf the chart @param {string} text of the button @param {"across" | "upward" | "damping"} kind
 */
export function boundsButton(hostOf, text, kind) {
  const button = make("button", { type: "button", text, "aria-pressed": "false", title: "Draw on the chart: it becomes a goal of Find", onclick: () => (sheet.parentNode ? end() : begin()) });
  const mark = make("div", { class: "bound" }), word = make("span", { class: "bound-word" }), ray = make("canvas", { class: "live-canvas" });
  const sheet = make("div", { class: "bounds", "aria-hidden": "true" }, ray, mark, word);
  /** @type {number[] | null} */
  let from = null;
  /** @type {ReturnType<SHAPES[string]>} */
  let drawn = null;

  function begin() {
    const host = hostOf();
    if (!host || !host._fullLayout) return;
    mark.hidden = word.hidden = true;
    ray.getContext("2d").clearRect(0, 0, ray.width, ray.height);
    host.append(sheet);
    button.setAttribute("aria-pressed", "true");
  }
  function end() { sheet.remove(); from = drawn = null; button.setAttribute("aria-pressed", "false"); }
  function place(event) { const box = sheet.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; }
  function show(to) {
    const layout = hostOf()._fullLayout;
    drawn = SHAPES[kind](layout, from, to);
    word.hidden = !drawn;
    mark.hidden = !drawn || !drawn.box.length;
    if (!drawn) return;
    word.textContent = drawn.said;
    Object.assign(word.style, { left: `${Math.min(to[0] + 12, sheet.clientWidth - 190)}px`, top: `${Math.max(4, to[1] - 28)}px` });
    if (drawn.box.length) { const [left, top, width, height] = drawn.box; Object.assign(mark.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }); return; }
    Object.assign(ray, { width: sheet.clientWidth, height: sheet.clientHeight });
    const pen = ray.getContext("2d"), x = layout.xaxis, y = layout.yaxis, zero = (axis, isUp) => axis._offset + axis._length * (isUp ? 1 + axis.range[0] / (axis.range[1] - axis.range[0]) : -axis.range[0] / (axis.range[1] - axis.range[0]));
    pen.strokeStyle = EB.style("--accent");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(zero(x, false), zero(y, true));
    pen.lineTo(zero(x, false) + 10 * (to[0] - zero(x, false)), zero(y, true) + 10 * (to[1] - zero(y, true)));
    pen.stroke();
  }
  sheet.addEventListener("pointerdown", (event) => { event.preventDefault(); sheet.setPointerCapture(event.pointerId); from = place(event); show(from); });
  sheet.addEventListener("pointermove", (event) => { if (from) show(place(event)); });
  sheet.addEventListener("pointerup", (event) => {
    if (!from) return;
    show(place(event));
    const made = drawn;
    end();
    if (made && (made.values.length < 2 || made.values[1] > made.values[0])) dispatchEvent(new CustomEvent("goal", { detail: made }));
  });
  addEventListener("keydown", (event) => { if (event.key === "Escape" && sheet.parentNode) end(); });
  return button;
}
