// Campbell diagram over a knob that changes a speed. The slider is the knob's own: the line goes with it, and so do the
// moving shape and everything else.

import { $, debounced, few, make } from "./dom.js";
import { coloured, makeLive } from "./live.js";
import { chartConfig } from "./pictures.js";

const WHIRL = { forward: "--c1", backward: "--c2", mixed: "--c4", none: "--faint" };
const REST = 300; // milliseconds without a change before the chart itself is drawn
const STEPS = 500;
const isSpeed = (k) => /rpm|hz|rad\/s|rev|turn/i.test(k.unit) || /speed|spin|omega|rpm/i.test(k.name);

export function makeCampbell({ line, now, painters, tellUser }, panels, knobs) {
  const panel = $("panel-campbell");
  const knob = make("select", { "aria-label": "Knob of the speed" }), orders = make("input", { "aria-label": "Excitations per revolution", value: "1", class: "short" });
  const points = make("input", { type: "number", min: 5, max: 200, value: 41, "aria-label": "Points of the diagram" });
  const slider = make("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": "Speed", disabled: true }), said = make("output", { class: "quiet" });
  const host = make("div", { class: "chart", role: "img", "aria-label": "Campbell diagram" }), legend = make("p", { class: "why" }), critical = make("p", { class: "facts" });
  panel.append(make("div", { class: "row" }, make("label", {}, "over ", knob), make("label", {}, "per revolution ", orders), make("label", {}, "points ", points),
    make("button", { type: "button", id: "campbell", text: "Compute", onclick: ask })), make("label", { class: "slider wide" }, make("span", { text: "Speed" }), slider, said), legend, host, critical);
  const live = makeLive(host), settling = debounced(draw, REST);
  /** @type {any} */
  let found = null;

  function ask() {
    const k = knobs.range(knob.value), wanted = orders.value.split(/[\s,;]+/).filter(Boolean).map(Number);
    if (!k || wanted.some((n) => !Number.isFinite(n))) { tellUser("Choose a knob, and orders as numbers: 1, 2."); return; }
    line.say("campbell", { knob: k.name, low: k.low, high: k.high, points: Math.round(Number(points.value)) || 41, orders: wanted, values: now.values });
  }
  const here = () => { const k = found && now.knobs.find((one) => one.name === found.knob); return k ? now.values[k.name] ?? k.value : null; };
  function mark() { // the line at the speed of now
    const at = here(), top = host._fullLayout ? host._fullLayout.yaxis.range[1] : 0, bottom = host._fullLayout ? host._fullLayout.yaxis.range[0] : 0;
    return { type: "scatter", mode: "lines", x: [at, at], y: [bottom, top], line: { color: "--ink", width: 2 }, hoverinfo: "skip", showlegend: false };
  }
  function follow() {
    const at = here();
    if (!found || at === null) return;
    const low = found.x[0], high = found.x[found.x.length - 1];
    if (document.activeElement !== slider) slider.value = String(Math.round((STEPS * (at - low)) / (high - low)));
    said.textContent = `${few(at, 5)} ${found.unit}`;
    host.dataset.at = String(at);
    if (!panel.hidden && host.data) { live.add(coloured(mark()), true); host.classList.add("marked"); settling.soon(); }
  }
  function traces() {
    const curves = found.branches.map((b, i) => ({ type: "scatter", mode: "lines", x: found.x, y: b.hz, name: `${i + 1} ${b.label}`, line: { color: WHIRL[b.whirl] || "--faint", width: 2 }, showlegend: false, hovertemplate: `${i + 1} ${b.label}, ${b.whirl} whirl<br>%{x:.5g}: %{y:.5g} Hz<extra></extra>` }));
    const lines = found.orders.map((order) => ({ type: "scatter", mode: "lines", x: found.x, y: found.spin_hz.map((v) => (v === null ? null : order * v)), name: `${order} per revolution`, line: { color: "--faint", width: 1.5, dash: "dot" }, showlegend: false, hovertemplate: `${order} per revolution<br>%{x:.5g}: %{y:.5g} Hz<extra></extra>` }));
    const meets = { type: "scatter", mode: "markers", x: found.critical.map((c) => c.at), y: found.critical.map((c) => c.hz), marker: { size: 10, symbol: "circle-open", color: "--bad", line: { width: 2 } }, showlegend: false, hovertemplate: "critical: %{x:.5g}, %{y:.5g} Hz<extra></extra>" };
    return [...curves, ...lines, meets];
  }
  function draw() {
    if (!found || panel.hidden || !window.Plotly) return;
    const top = 1.06 * Math.max(1e-9, ...found.branches.flatMap((b) => b.hz.map((v) => v ?? 0)));
    const layout = { height: 400, margin: { l: 66, r: 20, t: 10, b: 54 }, uirevision: `${found.knob} ${found.stamp}`, xaxis: { title: { text: `${found.knob}${found.unit ? `, ${found.unit}` : ""}` } }, yaxis: { title: { text: "damped frequency, Hz" }, range: [0, top] } };
    window.Plotly.react(host, traces().map(EB.resolved), EB.themed(EB.resolved(layout)), chartConfig());
    live.add(coloured(mark()), true);
    if (!host.dataset.listens) {
      host.dataset.listens = "yes";
      host.on("plotly_afterplot", () => live.add(coloured(mark()), true));
      host.on("plotly_click", (event) => put(Number(event.points[0].x)));
    }
  }
  function put(value) { knobs.put({ [found.knob]: Number(value.toPrecision(5)) }); follow(); }
  slider.addEventListener("input", () => { if (found) put(found.x[0] + (Number(slider.value) / STEPS) * (found.x[found.x.length - 1] - found.x[0])); });
  line.on("campbell", (m) => {
    found = { ...m, stamp: (found ? found.stamp : 0) + 1 };
    slider.disabled = false;
    const count = (kind) => m.branches.filter((b) => b.whirl === kind).length;
    legend.replaceChildren(...["forward", "backward", "mixed", "none"].filter(count).flatMap((kind) => { const key = make("span", { class: "tone", text: kind === "none" ? "no whirl" : `${kind} whirl` }); key.style.setProperty("--tone", `var(${WHIRL[kind]})`); return [key, " "]; }));
    critical.replaceChildren(...(m.critical.length ? m.critical.map((c) => make("span", {}, make("i", { text: `${few(c.order, 3)} per revolution ` }), `${few(c.at, 5)} ${m.unit} (${few(c.hz, 5)} Hz)`)) : [make("span", { text: m.joint || m.spin_hz.some((v) => v) ? "No critical speed in this range." : "Nothing spins: there are no excitation lines." })]));
    draw();
    follow();
  });
  line.on("model", (m) => {
    const before = knob.value, names = m.knobs.map((k) => k.name), likely = m.knobs.find(isSpeed);
    knob.replaceChildren(...names.map((name) => make("option", { value: name, text: name })));
    knob.value = names.includes(before) ? before : likely ? likely.name : names[0] || "";
    if (found && !names.includes(found.knob)) { found = null; slider.disabled = true; if (host.data) window.Plotly.purge(host); critical.replaceChildren(); legend.replaceChildren(); }
    follow();
  });
  line.on("state", follow);
  panels.whenShown("campbell", () => { draw(); follow(); });
  painters.push(draw);
}
