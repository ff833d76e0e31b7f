// Knobs: a slider and a number for each, the most useful for the chosen mode first.

import { $, few, make } from "./dom.js";

const STEPS = 1000;

/** @typedef {{name: string, value: number, unit: string, low: number, high: number, scale: string}} Knob */

/** Place of a value on the slider, 0 to 1. @param {Knob} k @param {number} v */
const placeOf = (k, v) => (k.scale === "log" ? Math.log(v / k.low) / Math.log(k.high / k.low) : (v - k.low) / (k.high - k.low || 1));
/** @param {Knob} k @param {number} x */
function valueAt(k, x) {
  const raw = k.scale === "log" ? k.low * (k.high / k.low) ** x : k.low + x * (k.high - k.low);
  return Number(raw.toPrecision(4));
}

export function makeKnobs({ line, now, tellUser }) {
  const host = $("knobs"), rows = new Map();
  let waiting = null, sent = 0; // a turn that waits for the answer to the last one

  /** Tell the server where the knobs are; one turn at a time, the newest. @param {number} [selected] -1: the same mode as before */
  function turn(selected = -1) {
    waiting = { values: { ...now.values }, selected: waiting && selected < 0 ? waiting.selected : selected };
    if (performance.now() - sent < 5000 && now.awaits) return;
    flush();
  }
  function flush() {
    if (!waiting) { now.awaits = false; return; }
    now.seq += 1;
    if (!line.say("turn", { ...waiting, seq: now.seq })) return;
    now.awaits = true;
    sent = performance.now();
    waiting = null;
  }
  line.on("state", (m) => { if (m.seq >= now.seq) flush(); });
  line.on("failed", (m) => { if (m.what === "turn" || m.what === "open") { now.awaits = false; flush(); } });
  line.on("down", () => { now.awaits = false; });

  /** @param {Knob} k @param {number} value @param {boolean} [isOwn] whether this page turned it */
  function set(k, value, isOwn = true) {
    if (value === k.value) delete now.values[k.name]; else now.values[k.name] = value;
    const row = rows.get(k.name);
    if (k.scale === "log" && value <= 0) Object.assign(k, { scale: "linear" });
    k.low = Math.min(k.low, value);
    k.high = Math.max(k.high, value);
    row.slider.value = String(Math.round(STEPS * placeOf(k, value)));
    if (document.activeElement !== row.number || !isOwn) row.number.value = few(value, 12);
    row.box.classList.toggle("changed", k.name in now.values);
    row.number.classList.remove("bad");
    const any = Object.keys(now.values).length > 0;
    $("keep").disabled = $("reset").disabled = !any;
  }
  function build(/** @type {Knob} */ k) {
    const id = `knob-${k.name}`, unit = k.unit || "";
    const slider = make("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${k.name} slider`, "data-knob": k.name });
    const number = make("input", { id, inputmode: "decimal", autocomplete: "off", "aria-label": unit ? `${k.name}, ${unit}` : k.name });
    const effect = make("span", { class: "effect" });
    const box = make("div", { class: "knob" }, make("label", { for: id, text: k.name, title: k.name }), number, make("span", { class: "unit", text: unit }), slider, effect);
    rows.set(k.name, { box, slider, number, effect });
    slider.addEventListener("input", () => { choose(k); set(k, valueAt(k, Number(slider.value) / STEPS)); turn(); });
    number.addEventListener("change", () => {
      const value = Number(number.value.replace(",", "."));
      if (number.value.trim() === "" || !Number.isFinite(value)) { number.classList.add("bad"); tellUser(`${k.name}: "${number.value}" is not a number.`); return; }
      choose(k); set(k, value); turn();
    });
    for (const kind of ["pointerenter", "focusin"]) box.addEventListener(kind, () => choose(k));
    return box;
  }
  function choose(k) { if (now.knob !== k.name) { now.knob = k.name; dispatchEvent(new CustomEvent("knob")); } }

  line.on("model", (m) => {
    rows.clear();
    host.replaceChildren(...m.knobs.map(build));
    if (!m.knobs.length) host.append(make("p", { class: "why", text: "This model has no numbers to turn: give it parameters." }));
    if (!m.knobs.some((k) => k.name === now.knob)) now.knob = m.knobs.length ? m.knobs[0].name : "";
    for (const k of m.knobs) set(k, m.values[k.name] ?? k.value, false);
    waiting = null;
    now.awaits = false;
  });
  line.on("values", (m) => { // turned in another page
    now.values = { ...m.values };
    for (const k of now.knobs) if (rows.has(k.name)) set(k, m.values[k.name] ?? k.value, false);
  });
  line.on("slopes", (m) => {
    const percent = (x) => (x === null ? "–" : `${few(x, 2)}`);
    for (const [name, row] of rows) {
      const effect = m.effects[name];
      row.effect.textContent = effect ? `+1 %: frequency ${percent(effect[0])} %, damping ratio ${percent(effect[1])} points` : "";
    }
    $("slopes-why").textContent = m.why || "";
    if (!m.best.length) return;
    const isHeld = host.contains(document.activeElement) || host.matches(":hover");
    if (!isHeld) order(m.best);
  });
  function order(best) {
    const names = $("by-use").checked ? best : now.knobs.map((k) => k.name);
    const boxes = names.map((name) => rows.get(name)).filter(Boolean).map((row) => row.box);
    if (boxes.some((box, i) => host.children[i] !== box)) host.append(...boxes);
    now.best = best;
  }
  $("by-use").addEventListener("change", () => order(now.best || []));
  $("keep").addEventListener("click", () => line.say("keep", { values: now.values }));
  $("reset").addEventListener("click", () => { for (const k of now.knobs) set(k, k.value, false); now.values = {}; turn(); });

  return {
    turn,
    /** Put several knobs at values, in the units of the file. @param {Record<string, number>} values */
    put(values) { for (const k of now.knobs) if (k.name in values) set(k, values[k.name], false); turn(); },
    range: (name) => now.knobs.find((k) => k.name === name),
  };
}
