// Find: goals become an optimization; its result is a change of the file to accept or reject.

import { $, few, make } from "./dom.js";

const GOALS = [
  ["frequency", "natural frequency of the chosen mode at", "Hz"], ["frequency_min", "natural frequency of the chosen mode above", "Hz"], ["frequency_max", "natural frequency of the chosen mode below", "Hz"],
  ["damping_min", "damping of the chosen mode above", "%"], ["damping_all", "damping of all modes above", "%"], ["outside", "no mode between", "Hz"], ["critical", "no mode between", "rpm"],
];

export function makeFind({ line, now, tellUser }, panels) {
  const panel = $("panel-find");
  const goals = make("div", { role: "group", "aria-label": "Goals" });
  const vary = make("div", { class: "row", role: "group", "aria-label": "Knobs that may be turned" });
  const result = make("div", { "aria-live": "polite" });
  const search = make("button", { type: "button", id: "search", text: "Search", onclick: ask });
  panel.append(make("p", { class: "why", text: "The smallest change of the ticked knobs, within the ranges of their sliders, that reaches all goals. Bands and damping drawn on the charts become goals too." }),
    goals, make("button", { type: "button", id: "add-goal", text: "Add a goal", onclick: () => add("frequency") }), make("h3", { text: "May be turned" }), vary, search, result);

  function add(of, values = []) {
    const select = make("select", { "aria-label": "Goal" }, ...GOALS.map(([kind, title, unit]) => make("option", { value: kind, text: `${title} … ${unit}` })));
    select.value = of;
    const low = make("input", { "aria-label": "Value", inputmode: "decimal", value: values[0] ?? "" }), high = make("input", { "aria-label": "Upper end", inputmode: "decimal", value: values[1] ?? "" });
    const row = make("div", { class: "goal" }, select, low, high, make("button", { type: "button", "aria-label": "Remove this goal", text: "×", onclick: () => row.remove() }));
    const refresh = () => { high.hidden = !["outside", "critical"].includes(select.value); };
    select.addEventListener("change", refresh);
    refresh();
    goals.append(row);
    return low;
  }
  function wanted() {
    return [...goals.children].map((row) => {
      const [select, low, high] = row.children, of = select.value, a = Number(low.value), b = Number(high.value);
      if (low.value.trim() === "" || !Number.isFinite(a) || !Number.isFinite(b)) throw new Error("A goal has no number.");
      if (of === "outside") return { of, low: a, high: b };
      if (of === "critical") return { of: "outside", low: a / 60, high: b / 60 };
      return { of, value: of.startsWith("damping") ? a / 100 : a };
    });
  }
  function ask() {
    const ticked = [...vary.querySelectorAll("input:checked")].map((box) => box.value);
    const ranges = Object.fromEntries(now.knobs.filter((k) => ticked.includes(k.name)).map((k) => [k.name, [k.low, k.high]]));
    try {
      result.replaceChildren(make("p", { class: "why", text: "Searching …" }));
      line.say("find", { goals: wanted(), vary: ranges, selected: now.selected });
    } catch (error) { result.replaceChildren(); tellUser(error.message); }
  }
  line.on("model", (m) => {
    const ticked = new Map([...vary.querySelectorAll("input")].map((box) => [box.value, box.checked]));
    vary.replaceChildren(...m.knobs.map((k) => make("label", {}, make("input", { type: "checkbox", value: k.name, checked: ticked.get(k.name) ?? true }), ` ${k.name}`)));
    result.replaceChildren();
  });
  line.on("proposal", (m) => {
    const changes = m.changes.map((c) => make("tr", {}, make("td", { text: c.name }), make("td", { class: "num", text: few(c.before, 6) }), make("td", { class: "num", text: few(c.after, 6) }), make("td", { text: `${c.unit}${c.at_bound ? ` (${c.at_bound} end)` : ""}` })));
    const kept = m.goals.map((g) => make("li", { text: `${g.label}: ${g.before.map((v) => few(v, 5)).join(", ")} → ${g.after.map((v) => few(v, 5)).join(", ")} ${g.unit}${g.holds ? "" : ", not reached"}` }));
    const values = Object.fromEntries(m.changes.map((c) => [c.name, c.after]));
    const accept = make("button", { type: "button", id: "accept", text: "Accept: write it into the file", onclick: () => { line.say("keep", { values: { ...now.values, ...values } }); result.replaceChildren(); } });
    const reject = make("button", { type: "button", id: "reject", text: "Reject", onclick: () => result.replaceChildren() });
    result.replaceChildren(make("div", { class: "proposal" }, make("p", { text: m.message }), make("ul", {}, ...kept),
      make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...["knob", "before", "after", "unit"].map((t) => make("th", { text: t })))), make("tbody", {}, ...changes))),
      make("div", { class: "row" }, accept, reject)));
  });
  line.on("failed", (m) => { if (m.what === "find") result.replaceChildren(make("p", { class: "why", text: m.message })); });
  addEventListener("goal", (/** @type {any} */ event) => { // drawn on a chart
    const { of, values } = event.detail, [first] = goals.children;
    if (first && first.children[1].value.trim() === "") first.remove(); // the one that nobody has filled in
    panels.show("find");
    add(of, values.map((v) => few(v, 4)));
  });
  add("frequency");
}
