// Poles in the complex plane, with trails of where they were and arrows of where a knob would move them.

import { $, debounced, few } from "./dom.js";
import { makeLive } from "./live.js";

const TRAILS = 80; // states that are remembered
const PUSHES = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]; // of a knob's value: how far the arrows look ahead
const LONGEST = 0.2; // arrow, as a share of the extent of the poles
const REST = 250; // milliseconds without a change before the chart itself is drawn
const TONE = { stable: "--good", marginal: "--fair", drifting: "--fair", unstable: "--bad" };

export function makePoles({ line, now, painters }) {
  const host = $("poles");
  let trail = [], isDrawn = false, isWaiting = false;
  const layout = {
    margin: { l: 62, r: 14, t: 12, b: 50 }, showlegend: false, uirevision: "poles", dragmode: "zoom", selectdirection: "v",
    xaxis: { title: { text: "real part, 1/s" }, zeroline: true }, yaxis: { title: { text: "damped frequency, Hz" }, rangemode: "tozero" },
  };
  const config = { ...EB.chartConfig, modeBarButtonsToRemove: ["lasso2d", "autoScale2d"] };

  function traces() {
    const m = now.state, xs = m.poles.map((p) => p[0]), ys = m.poles.map((p) => p[1] / (2 * Math.PI));
    const tones = m.poles.map((_, i) => TONE[m.modes[i] ? m.modes[i].stability : ""] || "--c1");
    const names = m.poles.map((_, i) => now.labels[i] || `mode ${i + 1}`);
    const before = trail.flatMap((poles) => poles);
    return [
      { type: "scatter", mode: "markers", x: before.map((p) => p[0]), y: before.map((p) => p[1]), marker: { size: 4, color: "--line-strong" }, hoverinfo: "skip" },
      ...now.shots.filter((s) => s.isShown).map((s) => ({ type: "scatter", mode: "markers", x: s.poles.map((p) => p[0]), y: s.poles.map((p) => p[1] / (2 * Math.PI)), name: s.name, marker: { size: 9, symbol: "circle-open", color: s.tone }, hovertemplate: `${s.name}<extra></extra>` })),
      arrows(m),
      { type: "scatter", mode: "markers", x: xs, y: ys, text: names, customdata: m.poles.map((_, i) => i), hovertemplate: "%{text}<br>%{x:.5g} 1/s<br>%{y:.5g} Hz<extra></extra>",
        marker: { size: m.poles.map((_, i) => (i === m.selected ? 15 : 10)), symbol: "x-thin", line: { width: m.poles.map((_, i) => (i === m.selected ? 4 : 2.5)), color: tones } } },
    ];
  }
  function arrows(m) { // from lambda to lambda + d lambda/dp times a push of p that can be seen well
    const slopes = now.slopes[now.knob], k = now.knobs.find((one) => one.name === now.knob), x = [], y = [], size = [];
    if (slopes && k && $("show-arrows").checked && now.slopesOf === m.seq) {
      const value = Math.abs(now.values[k.name] ?? k.value) * (now.si[k.name] ?? 1);
      const extent = (i) => Math.max(1e-9, ...m.poles.map((p) => p[i])) - Math.min(0, ...m.poles.map((p) => p[i]));
      const share = Math.max(0, ...m.poles.map((_, i) => (slopes[i] ? Math.hypot(slopes[i][0] / extent(0), slopes[i][1] / extent(1)) : 0))) * value;
      const push = PUSHES.find((one) => one * share <= LONGEST) || PUSHES[PUSHES.length - 1];
      $("arrow-knob").textContent = `${k.name} + ${few(100 * push, 2)} %`;
      m.poles.forEach((p, i) => {
        if (!slopes[i]) return;
        const end = [p[0] + push * value * slopes[i][0], (p[1] + push * value * slopes[i][1]) / (2 * Math.PI)];
        x.push(p[0], end[0], null); y.push(p[1] / (2 * Math.PI), end[1], null); size.push(0, 11, 0);
      });
    }
    return { type: "scatter", mode: "lines+markers", x, y, hoverinfo: "skip", line: { color: "--accent", width: 2 }, marker: { symbol: "arrow", angleref: "previous", size, color: "--accent" } };
  }
  const live = makeLive(host), settling = debounced(settle, REST);
  function draw() { // while the hand moves on the axes as they are, unless a pole would leave them
    isWaiting = false;
    if (!now.state || !window.Plotly) return;
    const data = traces().map(EB.resolved), poles = data[data.length - 1];
    const isZoomed = isDrawn && !host.layout.xaxis.autorange;
    if (isDrawn && (isZoomed || live.fits([poles])) && live.show(data)) settling.soon(); else settle();
    host.dataset.seq = String(now.state.seq);
    dispatchEvent(new CustomEvent("poles-drawn", { detail: now.state.seq }));
  }
  function settle() {
    settling.never();
    window.Plotly.react(host, traces().map(EB.resolved), EB.themed(EB.resolved(layout)), config);
    live.hide();
    if (!isDrawn) {
      isDrawn = true;
      new ResizeObserver(() => window.Plotly.Plots.resize(host)).observe(host);
      host.on("plotly_click", (event) => { const i = event.points[0].customdata; if (Number.isInteger(i)) dispatchEvent(new CustomEvent("pick", { detail: i })); });
      host.on("plotly_selected", (event) => { // a band drawn over the plot: no mode may stay in it
        if (event && event.range) dispatchEvent(new CustomEvent("band", { detail: event.range.y.map((v) => Math.max(0, v)).sort((a, b) => a - b) }));
      });
    }
  }
  function soon() { if (!isWaiting) { isWaiting = true; requestAnimationFrame(draw); } }
  function atOnce() { if (isDrawn && !isWaiting) draw(); else soon(); } // the next frame shows it

  now.shots = [];
  now.si = {};
  line.on("model", () => { trail = []; });
  line.on("state", (m) => {
    const points = m.poles.map((p) => [p[0], p[1] / (2 * Math.PI)]);
    if (m.seq !== now.trailed) { trail.push(points); trail = trail.slice(-TRAILS); now.trailed = m.seq; }
    atOnce();
  });
  line.on("slopes", (m) => { now.slopesOf = m.seq; now.si = m.si; soon(); });
  line.on("detail", soon);
  addEventListener("knob", soon);
  $("show-arrows").addEventListener("change", soon);
  $("clear-trails").addEventListener("click", () => { trail = []; soon(); });
  painters.push(soon);
  return { soon, trail: () => trail, shown: traces };
}
