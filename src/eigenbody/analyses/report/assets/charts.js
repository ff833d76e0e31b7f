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
  let plotly = null, paper = null; // the library once it is there; how wide charts are on paper, px
  const laidOut = (chart) => ({ ...themed(resolved(chart.layout)), ...(paper ? { width: paper, autosize: false } : { autosize: true }) });
  async function library() { plotly = plotly || (await loadPlotly()); }
  function start(place) { // one chart, with the library at hand
    const chart = charts[place.dataset.chart];
    if (drawn.has(place) || !chart) return null;
    drawn.set(place, chart);
    return plotly.newPlot(place, chart.data.map(resolved), laidOut(chart), config).then(() => { place.dataset.drawn = "yes"; });
  }
  const draw = async (place) => { await library(); await start(place); };
  const places = [...document.querySelectorAll("[data-chart]")];
  const watcher = new IntersectionObserver((seen) => { for (const s of seen) if (s.isIntersecting) { watcher.unobserve(s.target); draw(s.target); } }, { rootMargin: "300px" });
  for (const place of places) watcher.observe(place);
  function again() { for (const [place, chart] of drawn) plotly.react(place, chart.data.map(resolved), laidOut(chart), config); }
  return {
    all: () => Promise.all(places.map(draw)),
    async atLeisure() { // all of them, while nothing else is to be done: who prints finds them drawn
      const idle = () => new Promise((go) => (window.requestIdleCallback || setTimeout)(go));
      if (places.length) await library();
      for (const place of places) { await idle(); await draw(place); }
    },
    onPaper(width) { // every chart at once and as wide as the paper; null: as wide as the screen again
      paper = width;
      if (!plotly) return;
      again();
      if (width) for (const place of places) { const begun = start(place); if (begun) place.dataset.drawn = "yes"; }
    },
    repaint() { if (plotly) again(); },
  };
};
