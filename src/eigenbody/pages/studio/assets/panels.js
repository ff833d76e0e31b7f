// Results below the mechanism: one tab each. Charts of a tab that is not seen are drawn when it is.

import { boundsButton } from "./bounds.js";
import { $, debounced, few, make } from "./dom.js";
import { coloured, makeLive } from "./live.js";
import { chartConfig } from "./pictures.js";

const REST = 300; // milliseconds without a change before a chart itself is drawn

export function makePanels({ line, now, painters }) {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const charts = new Map(); // panel -> charts
  /** @type {Map<string, (() => void)[]>} */
  const watchers = new Map(); // panel -> what is done when it is opened
  const lives = new WeakMap(); // place of a chart -> its canvas
  const settling = debounced(() => { for (const name of charts.keys()) draw(name); }, REST);
  const isOpen = (name) => !$(`panel-${name}`).hidden;

  function show(name) {
    for (const tab of tabs) {
      const isOwn = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(isOwn));
      tab.tabIndex = isOwn ? 0 : -1;
      $(`panel-${tab.dataset.tab}`).hidden = !isOwn;
    }
    draw(name);
    for (const run of watchers.get(name) || []) run();
  }
  for (const tab of tabs) {
    tab.addEventListener("click", () => show(tab.dataset.tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      next.focus();
      show(next.dataset.tab);
    });
  }

  // ---- charts
  /** Charts of a panel. @param {string} name @param {any[]} list @param {string} [why] what is said where there are none */
  function setCharts(name, list, why = "") { charts.set(name, { list, why }); if (!follow(name)) draw(name); }
  function follow(name) { // other numbers in the same charts: on their axes, until the hand rests
    const own = charts.get(name), spots = [...document.querySelectorAll(`#panel-${name} .chart`)];
    if (!isOpen(name) || !own.list.length || own.list.length !== spots.length) return !isOpen(name);
    const isSame = own.list.every((chart, i) => spots[i].data && spots[i].data.length === chart.data.length + (chart.more || []).length);
    if (!isSame) return false;
    own.list.forEach((chart, i) => lives.get(spots[i]).show([...chart.data, ...(chart.more || [])].map(coloured)));
    settling.soon();
    return true;
  }
  /** Titles in as many lines as they need beside their axis, and room for each axis. */
  function withRoom({ layout: given, data }) {
    const axes = Object.keys(given).filter((key) => /^yaxis\d*$/.test(key)), high = axes.length > 1 ? 430 : 330, out = { ...given, height: high };
    for (const key of axes) {
      const [low, top] = given[key].domain || [0, 1], text = (given[key].title && given[key].title.text) || "";
      const isLong = text.length > (0.75 * high * (top - low)) / 7; // px of a letter
      out[key] = { ...given[key], title: { ...given[key].title, text: isLong ? text.replace(", ", ",<br>") : text, font: { size: 12 }, standoff: 6 } };
      const values = data.filter((t) => (t.yaxis || "y") === key.replace("axis", "")).flatMap((t) => t.y).filter((v) => v > 0), decades = values.length ? Math.log10(Math.max(...values) / Math.min(...values)) : 0;
      if (given[key].type === "log" && decades >= 0.7) out[key].dtick = decades > 3 ? Math.ceil(decades / 5) : "D2"; // 1, 2, 5: more would stand on each other
    }
    return out;
  }
  function draw(name) {
    const own = charts.get(name), panel = $(`panel-${name}`);
    if (!own || !isOpen(name) || !window.Plotly) return;
    let place = panel.querySelector(".charts");
    if (!place) {
      place = make("div", { class: "charts" });
      if (name === "frf") panel.append(make("div", { class: "row" }, boundsButton(() => panel.querySelector(".chart"), "Draw a band", "across")));
      panel.append(place);
    }
    while (place.children.length > own.list.length + 1) place.lastChild.remove();
    if (!place.children.length) place.append(make("p", { class: "why" }));
    place.firstChild.textContent = own.why;
    place.firstChild.hidden = !own.why;
    own.list.forEach((chart, i) => {
      let spot = place.children[i + 1];
      if (!spot) { spot = make("div", { class: "chart", role: "img" }); place.append(spot); lives.set(spot, makeLive(spot)); }
      const title = chart.title || document.getElementById(`tab-${name}`).textContent;
      spot.setAttribute("aria-label", title);
      const layout = { ...withRoom(chart), uirevision: name, ...(chart.title ? { title: { text: title, font: { size: 13 } } } : {}) };
      window.Plotly.react(spot, [...chart.data, ...(chart.more || [])].map(EB.resolved), EB.themed(EB.resolved(layout)), chartConfig());
      lives.get(spot).hide();
    });
  }
  painters.push(() => { for (const name of charts.keys()) draw(name); });
  line.on("curves", (m) => {
    now.curves = m;
    for (const name of ["frf", "step"]) {
      const before = now.shots.filter((s) => s.isShown && s.curves);
      const list = m[name].map((chart, i) => ({ ...chart, more: before.flatMap((s) => (s.curves[name][i] ? s.curves[name][i].data.map((t) => ({ ...t, name: `${s.name}: ${t.name}`, line: { ...t.line, dash: "dot" }, opacity: 0.7, showlegend: false })) : [])) }));
      setCharts(name, list, m.why);
    }
  });

  // ---- energies of the chosen mode
  function bars(title, shares) {
    const rows = shares.map(([name, share]) => {
      const bar = make("span", { class: share < 0 ? "bar negative" : "bar" });
      bar.style.setProperty("--share", String(Math.min(1, Math.abs(share))));
      return make("div", { class: "share" }, make("span", { class: "name", text: name, title: name }), bar, make("span", { class: "value", text: `${few(100 * share, 3)} %` }));
    });
    return make("div", { class: "shares" }, make("h4", { text: title }), ...(rows.length ? rows : [make("p", { class: "none", text: "none" })]));
  }
  line.on("detail", (m) => {
    const panel = $("panel-energy");
    if (!m.mode) { panel.replaceChildren(make("p", { class: "why", text: m.why || "The mechanism has no modes." })); return; }
    const facts = make("p", { class: "facts" }, ...m.mode.facts.map(([name, text]) => make("span", {}, make("i", { text: `${name} ` }), text)));
    panel.replaceChildren(make("h3", { text: `Mode ${m.mode.index}: ${m.mode.label}` }), facts, make("div", { class: "energies" }, ...m.mode.energies.map(([title, shares]) => bars(title, shares))));
  });

  // ---- operating point and reactions
  line.on("loads", (m) => {
    const cells = (vector, open) => vector.map((v, i) => make("td", { class: "num", text: open.includes(["fx", "fy", "fz", "mx", "my", "mz"][i]) ? "open" : few(v, 5) }));
    const rows = m.reactions.map((r) => make("tr", {}, make("td", { text: r.joint }), ...cells([...r.force, ...r.moment], r.open)));
    const head = ["joint", "Fx, N", "Fy, N", "Fz, N", "Mx, N m", "My, N m", "Mz, N m"].map((t, i) => make("th", i ? { class: "num", text: t } : { text: t }));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
    const values = Object.entries(m.coordinates || {}).map(([name, value]) => make("span", {}, make("i", { text: `${name} ` }), few(value, 6)));
    $("panel-loads").replaceChildren(
      make("p", { text: `Operating point: ${m.point}.` }), make("p", { class: "facts" }, ...values),
      m.why ? make("p", { class: "why", text: m.why }) : make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Reactions" }, table),
      make("p", { class: "why", text: "Force and moment of the first body on the second, in the axes of the joint (SI units)." }));
  });
  /** @param {string} name of a panel @param {() => void} run when it is opened */
  function whenShown(name, run) { watchers.set(name, [...(watchers.get(name) || []), run]); }
  return { show, setCharts, draw, whenShown };
}
