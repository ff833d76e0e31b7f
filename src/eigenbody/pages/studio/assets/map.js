// Stability over two knobs, painted row by row while it is computed. A click puts the knobs there.

import { $, make, paced } from "./dom.js";
import { chartConfig } from "./pictures.js";

export function makeMap({ line, now, painters, tellUser }, panels, knobs) {
  const panel = $("panel-map");
  const choice = (label) => make("select", { "aria-label": label });
  const x = choice("Knob across"), y = choice("Knob upward");
  const points = make("input", { type: "number", min: 5, max: 60, value: 25, "aria-label": "Points along each side" });
  const host = make("div", { class: "chart", role: "img", "aria-label": "Stability map" });
  panel.append(make("div", { class: "row" }, make("label", {}, "across ", x), make("label", {}, "upward ", y), make("label", {}, "points ", points),
    make("button", { type: "button", id: "paint-map", text: "Paint", onclick: ask })), make("p", { class: "why", text: "Smallest damping ratio of all modes; red is unstable (a pole that does not oscillate counts as 1, or -1 where it grows). A click puts both knobs there." }), host);
  let map = null;

  function ask() {
    const [a, b] = [x.value, y.value].map(knobs.range);
    if (!a || !b || a === b) { tellUser("Choose two different knobs."); return; }
    line.say("map", { x: [a.name, a.low, a.high], y: [b.name, b.low, b.high], values: now.values, points: Math.round(Number(points.value)) || 25 });
  }
  line.on("model", (m) => {
    const names = m.knobs.map((k) => k.name), before = [x.value, y.value];
    for (const one of [x, y]) one.replaceChildren(...names.map((name) => make("option", { value: name, text: name })));
    x.value = names.includes(before[0]) ? before[0] : names[0] || "";
    y.value = names.includes(before[1]) ? before[1] : names[1] || names[0] || "";
  });
  line.on("map", (m) => {
    if (m.row < 0) map = { ...m, z: m.y.map(() => m.x.map(() => null)), done: 0 };
    else if (map) { map.z[m.row] = m.values; map.done = m.row + 1; }
    host.dataset.rows = String(map ? map.done : 0);
    draw();
  });
  function draw() {
    if (!map || !window.Plotly) return;
    const far = Math.max(1e-6, ...map.z.flat().map((v) => Math.abs(v ?? 0))), title = (i) => `${map.names[i]}${map.units[i] ? `, ${map.units[i]}` : ""}`;
    const layout = { height: 400, margin: { l: 70, r: 20, t: 10, b: 50 }, xaxis: { title: { text: title(0) }, type: map.scales[0] }, yaxis: { title: { text: title(1) }, type: map.scales[1] }, uirevision: "map" };
    const here = now.knobs.filter((k) => map.names.includes(k.name)).reduce((out, k) => ({ ...out, [k.name]: now.values[k.name] ?? k.value }), {});
    const data = [
      { type: "heatmap", x: map.x, y: map.y, z: map.z, zmin: -far, zmax: far, colorscale: [[0, "#c53030"], [0.499, "#f6d5d5"], [0.5, "#fbf0db"], [0.501, "#d7eee2"], [1, "#1a8754"]], colorbar: { title: { text: "damping", side: "right" }, thickness: 14 }, hovertemplate: "%{x:.4g}, %{y:.4g}: %{z:.4g}<extra></extra>" },
      { type: "scatter", mode: "markers", x: [here[map.names[0]]], y: [here[map.names[1]]], marker: { symbol: "cross", size: 12, color: "--ink" }, hoverinfo: "skip" },
    ];
    window.Plotly.react(host, data.map(EB.resolved), EB.themed(EB.resolved(layout)), chartConfig());
    if (!host.dataset.listens) {
      host.dataset.listens = "yes";
      host.on("plotly_click", (event) => { const p = event.points[0]; knobs.put({ [map.names[0]]: Number(Number(p.x).toPrecision(4)), [map.names[1]]: Number(Number(p.y).toPrecision(4)) }); });
    }
  }
  const soon = paced(draw, 300);
  line.on("state", () => { if (!panel.hidden && map) soon(); });
  painters.push(draw);
}
