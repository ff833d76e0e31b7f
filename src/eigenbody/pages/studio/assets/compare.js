// Shapes compared: the model as it is now with a snapshot or another model of the folder, by MAC.

import { $, few, make } from "./dom.js";
import { chartConfig } from "./pictures.js";

export function makeCompare({ line, now, painters }, panels) {
  const panel = $("panel-compare");
  const other = make("select", { "aria-label": "Compare with" }), result = make("div", { "aria-live": "polite" });
  const host = make("div", { class: "chart", role: "img", "aria-label": "MAC of the modes of now with the other ones", hidden: true });
  panel.append(make("div", { class: "row" }, make("label", {}, "with ", other), make("button", { type: "button", id: "compare", text: "Compare", onclick: ask })),
    make("p", { class: "why", text: "MAC weighed by mass: 1 where two shapes are alike, 0 where they have nothing in common. Both must have the same bodies." }), host, result);
  /** @type {any} */
  let found = null;
  /** @type {string[]} */
  let files = [];

  function refresh() {
    const before = other.value, shots = now.shots.map((s, i) => make("option", { value: `shot ${i}`, text: s.name }));
    other.replaceChildren(make("option", { value: "file", text: "the file (numbers as written)" }), ...shots, ...files.map((path) => make("option", { value: `path ${path}`, text: path })));
    if ([...other.options].some((o) => o.value === before)) other.value = before;
  }
  function ask() {
    const [kind, ...rest] = other.value.split(" "), name = rest.join(" "), own = { path: "", text: "", name: other.selectedOptions[0].textContent, values: {} };
    if (kind === "path") own.path = name;
    if (kind === "shot") Object.assign(own, { text: now.shots[Number(name)].text, values: now.shots[Number(name)].values });
    line.say("compare", { values: now.values, other: own });
  }
  line.on("folder", (m) => { files = m.files; refresh(); });
  line.on("document", refresh);
  addEventListener("shots", refresh);
  panels.whenShown("compare", () => { refresh(); draw(); });

  function draw() {
    if (!found || panel.hidden || !window.Plotly) return;
    const title = (mode, i) => `${i + 1}: ${few(mode.hz, 4)} Hz`, size = (n) => Math.max(240, Math.min(560, 130 + 26 * n));
    const layout = { height: size(found.first.length), margin: { l: 100, r: 20, t: 16, b: 76 }, xaxis: { title: { text: found.name }, type: "category", tickangle: -40 }, yaxis: { title: { text: "now" }, type: "category", autorange: "reversed" } };
    const isFew = found.first.length * found.second.length <= 200;
    const data = [{ type: "heatmap", x: found.second.map(title), y: found.first.map(title), z: found.values, zmin: 0, zmax: 1, colorscale: [[0, "rgba(127,127,127,0.06)"], [1, "#1f6feb"]], colorbar: { thickness: 12, title: { text: "MAC", side: "right" } }, hovertemplate: "now %{y}<br>other %{x}<br>MAC %{z:.4f}<extra></extra>",
      ...(isFew ? { text: found.values.map((row) => row.map((v) => (v === null ? "" : v.toFixed(2)))), texttemplate: "%{text}" } : {}) }];
    window.Plotly.react(host, data, EB.themed(EB.resolved(layout)), chartConfig());
  }
  line.on("mac", (m) => {
    found = m;
    host.hidden = false;
    const change = (a, b) => (a && b ? `${few(100 * (b / a - 1), 3)} %` : "–");
    const rows = m.pairs.map(([i, j, value]) => make("tr", { class: value < 0.9 ? "loose" : "" }, make("td", { text: `${i + 1} ${m.first[i].label}` }), make("td", { class: "num", text: few(m.first[i].hz, 5) }), make("td", { text: `${j + 1} ${m.second[j].label}` }), make("td", { class: "num", text: few(m.second[j].hz, 5) }), make("td", { class: "num", text: change(m.first[i].hz, m.second[j].hz) }), make("td", { class: "num", text: value.toFixed(4) })));
    const head = ["now", "Hz", m.name, "Hz", "change", "MAC"].map((t, i) => make("th", i % 2 || i > 3 ? { class: "num", text: t } : { text: t }));
    result.replaceChildren(make("h3", { text: "Pairs, one to one" }), make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Pairs of modes" }, make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))));
    draw();
  });
  line.on("failed", (m) => { if (m.what === "compare") { found = null; host.hidden = true; result.replaceChildren(make("p", { class: "why", text: m.message })); } });
  painters.push(draw);
}
