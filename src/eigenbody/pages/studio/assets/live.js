// Curves that follow the hand: drawn on a canvas over the axes of a chart while something moves, by the chart itself when
// it rests. The chart takes tens of milliseconds for what the canvas does in one.

import { make } from "./dom.js";

/** @typedef {{x: (number | null)[], y: (number | null)[], mode?: string, yaxis?: string, line?: any, marker?: any, opacity?: number}} Trace */

/** Colours by their names in the style of the page; numbers stay as they are. @param {any} trace @returns {any} */
export function coloured(trace) {
  const one = (value) => (typeof value === "string" && value.startsWith("--") ? EB.style(value) : value);
  const all = (given) => (Array.isArray(given) ? given.map(one) : one(given));
  const out = { ...trace };
  for (const part of ["line", "marker"]) if (trace[part]) {
    out[part] = { ...trace[part], ...(trace[part].color ? { color: all(trace[part].color) } : {}) };
    if (trace[part].line) out[part].line = { ...trace[part].line, color: all(trace[part].line.color) };
  }
  return out;
}

/** Place of values along an axis, px; null where there is none. */
function scaleOf(axis, isUp) {
  const [low, high] = axis.range, isLog = axis.type === "log";
  return (value) => {
    const v = value === null || value === undefined ? NaN : isLog ? Math.log10(value) : value;
    const share = (v - low) / (high - low);
    return axis._offset + axis._length * (isUp ? 1 - share : share);
  };
}

/** @param {any} host of a chart that Plotly has drawn @param {string} [kind] further class of the canvas */
export function makeLive(host, kind = "") {
  const canvas = make("canvas", { class: `live-canvas ${kind}`, "aria-hidden": "true" });

  /** Whether all points lie within the axes as they are. @param {Trace[]} traces */
  function fits(traces) {
    const layout = host._fullLayout;
    return traces.every((trace) => {
      const across = scaleOf(layout.xaxis, false), upward = scaleOf(layout[(trace.yaxis || "y").replace("y", "yaxis")], true);
      const { _offset: left, _length: wide } = layout.xaxis, { _offset: top, _length: high } = layout[(trace.yaxis || "y").replace("y", "yaxis")];
      return trace.x.every((v, i) => {
        const [px, py] = [across(v), upward(trace.y[i])];
        return Number.isNaN(px) || Number.isNaN(py) || (px >= left - 1 && px <= left + wide + 1 && py >= top - 1 && py <= top + high + 1);
      });
    });
  }
  /** The pen of a canvas that lies over the axes as they are; null where there are none yet. @param {boolean} isFresh begin with nothing */
  function prepared(isFresh) {
    const layout = host._fullLayout;
    if (!layout || !layout.xaxis || !layout.xaxis._length) return null;
    if (canvas.parentNode !== host) host.append(canvas);
    const ratio = window.devicePixelRatio || 1, wide = host.clientWidth, high = host.clientHeight;
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) Object.assign(canvas, { width: Math.round(wide * ratio), height: Math.round(high * ratio) });
    const pen = penOf();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (isFresh) pen.clearRect(0, 0, wide, high);
    return pen;
  }
  /** Draw traces over the axes, in place of those of the chart; false where there are no axes yet. @param {Trace[]} traces */
  function show(traces) {
    const pen = prepared(true);
    if (!pen) return false;
    for (const trace of traces) draw(pen, host._fullLayout, trace);
    host.classList.add("live");
    return true;
  }
  /** Draw a trace beside those that are there. @param {Trace} trace @param {boolean} isFresh in place of what this canvas shows */
  function add(trace, isFresh) { const pen = prepared(isFresh); if (pen) draw(pen, host._fullLayout, trace); }
  function draw(pen, layout, trace) {
    const down = layout[(trace.yaxis || "y").replace("y", "yaxis")], across = scaleOf(layout.xaxis, false), upward = scaleOf(down, true);
    const points = trace.x.map((v, i) => [across(v), upward(trace.y[i])]), mode = trace.mode || "lines";
    pen.save();
    pen.beginPath();
    pen.rect(layout.xaxis._offset - 8, down._offset - 8, layout.xaxis._length + 16, down._length + 16);
    pen.clip();
    pen.globalAlpha = trace.opacity ?? 1;
    const one = (given, i) => (Array.isArray(given) ? given[i] : given);
    if (mode.includes("lines")) {
      pen.strokeStyle = one(trace.line && trace.line.color, 0) || "#888";
      pen.lineWidth = (trace.line && trace.line.width) || 1.6;
      pen.setLineDash(trace.line && trace.line.dash === "dot" ? [2, 3] : []);
      pen.beginPath();
      let isOn = false;
      for (const [px, py] of points) {
        if (Number.isNaN(px) || Number.isNaN(py)) { isOn = false; continue; }
        if (isOn) pen.lineTo(px, py); else pen.moveTo(px, py);
        isOn = true;
      }
      pen.stroke();
    }
    if (mode.includes("markers")) points.forEach(([px, py], i) => {
      if (Number.isNaN(px) || Number.isNaN(py)) return;
      const { marker = {} } = trace, size = (one(marker.size, i) ?? 6) / 2, symbol = marker.symbol || "circle";
      pen.strokeStyle = pen.fillStyle = one((marker.line && marker.line.color) || marker.color, i) || "#888";
      pen.lineWidth = one(marker.line && marker.line.width, i) ?? 1.5;
      pen.beginPath();
      if (symbol.startsWith("x")) { const r = size * 0.7; pen.moveTo(px - r, py - r); pen.lineTo(px + r, py + r); pen.moveTo(px - r, py + r); pen.lineTo(px + r, py - r); pen.stroke(); return; }
      if (symbol === "arrow") { if (size > 0 && i) head(pen, points[i - 1], [px, py], size); return; }
      pen.arc(px, py, size, 0, 2 * Math.PI);
      if (symbol.endsWith("open")) pen.stroke(); else pen.fill();
    });
    pen.restore();
  }
  function head(pen, [ax, ay], [bx, by], size) {
    const turn = Math.atan2(by - ay, bx - ax), side = (way) => [bx - 2 * size * Math.cos(turn + way), by - 2 * size * Math.sin(turn + way)];
    pen.moveTo(bx, by); pen.lineTo(...side(0.45)); pen.lineTo(...side(-0.45)); pen.closePath(); pen.fill();
  }
  const penOf = () => canvas.getContext("2d", { willReadFrequently: true }); // drawn by the processor: a graphics card that is not there costs more
  function hide() { host.classList.remove("live"); penOf().clearRect(0, 0, canvas.width, canvas.height); }
  return { show, add, hide, fits };
}
