// Charts in the colours of the page, drawn when they come into view.
"use strict";

EB.style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
EB.chartConfig = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };
EB.themed = function (layout) { // in the colours of the page
  const style = EB.style;
  const axis = { gridcolor: style("--line"), zerolinecolor: style("--line-strong"), linecolor: style("--line-strong"), ticks: "outside", tickcolor: style("--line-strong"), automargin: true };
  const out = { ...layout, font: { family: style("--font"), size: 13, color: style("--ink") }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    colorway: ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"].map(style), hoverlabel: { bgcolor: style("--card"), bordercolor: style("--line-strong"), font: { color: style("--ink") } },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: style("--faint"), activecolor: style("--accent") } };
  for (const key of Object.keys(layout)) if (/^[xy]axis\d*$/.test(key)) out[key] = { ...axis, ...layout[key] };
  return out;
};
EB.resolved = (trace) => JSON.parse(JSON.stringify(trace), (_, value) => (typeof value === "string" && /^--[\w-]+$/.test(value) ? EB.style(value) : value));

EB.makeCharts = function (charts, loadPlotly) {
  const drawn = new Map(), { themed, resolved, chartConfig: config } = EB;
  async function draw(place) {
    const chart = charts[place.dataset.chart];
    if (drawn.has(place) || !chart) return;
    drawn.set(place, chart);
    const Plotly = await loadPlotly();
    await Plotly.newPlot(place, chart.data.map(resolved), themed(resolved(chart.layout)), config);
    place.dataset.drawn = "yes";
  }
  const places = [...document.querySelectorAll("[data-chart]")];
  const watcher = new IntersectionObserver((seen) => { for (const s of seen) if (s.isIntersecting) { watcher.unobserve(s.target); draw(s.target); } }, { rootMargin: "300px" });
  for (const place of places) watcher.observe(place);
  return {
    all: () => Promise.all(places.map(draw)),
    async repaint() {
      const Plotly = drawn.size ? await loadPlotly() : null;
      for (const [place, chart] of drawn) if (place.dataset.drawn) Plotly.react(place, chart.data.map(resolved), themed(resolved(chart.layout)), config);
    },
  };
};
