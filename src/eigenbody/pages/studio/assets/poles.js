// Poles in the complex plane, with trails of where they were and arrows of where a knob would move them.

import { boundsButton } from "./bounds.js";
import { $, debounced, few } from "./dom.js";
import { coloured, makeLive } from "./live.js";
import { chartConfig } from "./pictures.js";

const TRAILS = 80; // states that are remembered
const PUSHES = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]; // of a knob's value: how far the arrows look ahead
const LONGEST = 0.2; // arrow, as a share of the extent of the poles
const REST = 250; // milliseconds without a change before the chart itself is drawn
const ROUNDING = 1e-9; // of the largest eigenvalue
const ROOM = 0.5; // that axes are widened by beyond what is needed, of their length
const TONE = { stable: "--good", marginal: "--fair", drifting: "--fair", unstable: "--bad" };

export function makePoles({ line, now, painters }) {
  const host = $("poles");
  let trail = [], floor = 0, isDrawn = false, isWaiting = false, isWide = false, settled = 0;
  const flat = (list) => ({ x: list.flatMap((poles) => poles.map((p) => p[0])), y: list.flatMap((poles) => poles.map((p) => p[1])) });
  const layout = {
    margin: { l: 62, r: 14, t: 12, b: 50 }, showlegend: false, uirevision: "poles", dragmode: "zoom",
    xaxis: { title: { text: "real part, 1/s" }, zeroline: true }, yaxis: { title: { text: "damped frequency, Hz" }, rangemode: "tozero" },
  };
  const config = { ...chartConfig(), modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "toImage"] };
  host.picture = () => traces().map(EB.resolved); // with the trails

  function traces() {
    const m = now.state, xs = m.poles.map((p) => seen(p[0])), ys = m.poles.map((p) => p[1] / (2 * Math.PI));
    const tones = m.poles.map((_, i) => TONE[m.modes[i] ? m.modes[i].stability : ""] || "--c1");
    const names = m.poles.map((_, i) => now.labels[i] || `mode ${i + 1}`);
    return [
      { type: "scatter", ...marks, ...flat(trail), hoverinfo: "skip" }, // on the page by a canvas of its own
      ...now.shots.filter((s) => s.isShown).map((s) => ({ type: "scatter", mode: "markers", x: s.poles.map((p) => p[0]), y: s.poles.map((p) => p[1] / (2 * Math.PI)), name: s.name, marker: { size: 9, symbol: "circle-open", color: s.tone }, hovertemplate: `${s.name}<extra></extra>` })),
      arrows(m),
      { type: "scatter", mode: "markers", x: xs, y: ys, text: names, customdata: m.poles.map((_, i) => i), hovertemplate: "%{text}<br>%{x:.5g} 1/s<br>%{y:.5g} Hz<extra></extra>",
        marker: { size: m.poles.map((_, i) => (i === m.selected ? 15 : 10)), symbol: "x-thin", line: { width: m.poles.map((_, i) => (i === m.selected ? 4 : 2.5)), color: tones } } },
    ];
  }
  /** A real part; rounding beside the largest eigenvalue is none. @param {number} value */
  const seen = (value) => (Math.abs(value) < floor ? 0 : value);
  function arrows(m) { // from lambda to lambda + d lambda/dp times a push of p that can be seen well
    const slopes = now.slopes[now.knob], k = now.knobs.find((one) => one.name === now.knob), x = [], y = [], size = [];
    if (slopes && k && $("show-arrows").checked && now.slopesOf === m.seq) {
      const value = Math.abs(now.values[k.name] ?? k.value) * (now.si[k.name] ?? 1);
      const extent = (i) => Math.max(floor || 1e-9, ...m.poles.map((p) => p[i])) - Math.min(0, ...m.poles.map((p) => p[i]));
      const share = Math.max(0, ...m.poles.map((_, i) => (slopes[i] ? Math.hypot(slopes[i][0] / extent(0), slopes[i][1] / extent(1)) : 0))) * value;
      const push = PUSHES.find((one) => one * share <= LONGEST) || PUSHES[PUSHES.length - 1];
      $("arrow-knob").textContent = `${k.name} + ${few(100 * push, 2)} %`;
      m.poles.forEach((p, i) => {
        if (!slopes[i]) return;
        const end = [p[0] + push * value * slopes[i][0], (p[1] + push * value * slopes[i][1]) / (2 * Math.PI)];
        x.push(seen(p[0]), seen(end[0]), null); y.push(p[1] / (2 * Math.PI), end[1], null); size.push(0, 11, 0);
      });
    }
    return { type: "scatter", mode: "lines+markers", x, y, hoverinfo: "skip", line: { color: "--accent", width: 2 }, marker: { symbol: "arrow", angleref: "previous", size, color: "--accent" } };
  }
  const path = makeLive(host, "trail"), live = makeLive(host), settling = debounced(settle, REST);
  const marks = { mode: "markers", marker: { size: 3.5, color: "--line-strong" } };
  function retrace() { path.add(coloured({ ...marks, ...flat(trail) }), true); } // all that is remembered, on the axes as they are
  function draw() { // while the hand moves on the axes as they are, unless a pole would leave them
    isWaiting = false;
    if (!now.state || !window.Plotly) return;
    const data = traces().slice(1).map(coloured), poles = data[data.length - 1];
    const isZoomed = isDrawn && !host.layout.xaxis.autorange && !isWide;
    if (isDrawn && !isZoomed && !live.fits([poles])) widen(poles);
    if (isDrawn && live.show(data)) settling.soon(); else settle();
    host.dataset.seq = String(now.state.seq);
    dispatchEvent(new CustomEvent("poles-drawn", { detail: now.state.seq }));
  }
  function widen(poles) { // axes that have room for what comes next: they cost more than everything that is drawn on them
    const ends = ({ range: [low, high] }, values) => {
      const far = [Math.min(low, ...values), Math.max(high, ...values)], room = ROOM * (far[1] - far[0]);
      return [far[0] < low ? far[0] - room : low, far[1] > high ? far[1] + room : high];
    };
    const { xaxis, yaxis } = host._fullLayout, change = { "xaxis.range": ends(xaxis, poles.x), "yaxis.range": ends(yaxis, poles.y) };
    isWide = true;
    window.Plotly.relayout(host, change);
    isWide = true; // the listener takes it for the reader's own
    retrace();
  }
  function settle() {
    settling.never();
    const free = isWide ? { xaxis: { ...layout.xaxis, autorange: true }, yaxis: { ...layout.yaxis, autorange: true }, uirevision: `poles ${++settled}` } : { uirevision: `poles ${settled}` };
    isWide = false;
    window.Plotly.react(host, traces().slice(1).map(EB.resolved), EB.themed(EB.resolved({ ...layout, ...free })), config);
    live.hide();
    retrace();
    if (!isDrawn) {
      isDrawn = true;
      new ResizeObserver(() => window.Plotly.Plots.resize(host)).observe(host);
      host.on("plotly_relayout", () => { isWide = false; });
      host.on("plotly_afterplot", retrace);
      host.on("plotly_click", (event) => { const i = event.points[0].customdata; if (Number.isInteger(i)) dispatchEvent(new CustomEvent("pick", { detail: i })); });
    }
  }
  function soon() { if (!isWaiting) { isWaiting = true; requestAnimationFrame(draw); } }
  function atOnce() { if (isDrawn && !isWaiting) draw(); else soon(); } // the next frame shows it

  now.shots = [];
  now.si = {};
  line.on("model", () => { trail = []; retrace(); });
  line.on("state", (m) => {
    floor = ROUNDING * Math.max(...m.poles.map((p) => Math.hypot(...p)));
    const points = m.poles.map((p) => [seen(p[0]), p[1] / (2 * Math.PI)]);
    if (m.seq !== now.trailed) {
      trail.push(points);
      now.trailed = m.seq;
      if (trail.length > 2 * TRAILS) { trail = trail.slice(-TRAILS); retrace(); } else path.add(coloured({ ...marks, ...flat([points]) }), false);
    }
    atOnce();
  });
  line.on("slopes", (m) => { now.slopesOf = m.seq; now.si = m.si; soon(); });
  line.on("detail", soon);
  addEventListener("knob", soon);
  $("show-arrows").addEventListener("change", soon);
  $("clear-trails").addEventListener("click", () => { trail = []; retrace(); });
  $("clear-trails").after(boundsButton(() => host, "Draw a band", "upward"), boundsButton(() => host, "Draw damping", "damping"));
  painters.push(() => { soon(); settling.soon(); });
  return { soon, trail: () => trail, shown: traces };
}
