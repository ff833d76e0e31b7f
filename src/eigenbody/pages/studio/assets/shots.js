// Snapshots side by side, simulated motions, and pictures to take away.

import { $, few, make } from "./dom.js";

const TONES = ["--c4", "--c6", "--c7", "--c8", "--c5"];

export function makeShots({ line, now }, panels, stage, poles, editor, pictures) {
  const place = make("div", { class: "shots" });
  $("panel-shots").append(make("p", { class: "why", text: "A snapshot keeps poles and responses; they stay in the charts, dotted, until it is removed." }), place,
    pictures.row(), make("p", { class: "why", text: "The movie shows the chosen mode over one period, or the simulated motion from its beginning. Charts have PNG and SVG at their upper right corner." }));

  function refresh() {
    dispatchEvent(new CustomEvent("shots"));
    poles.soon();
    if (now.curves) panels.draw("frf");
    place.replaceChildren(...now.shots.map((shot) => {
      const rows = shot.modes.slice(0, 12).map((mode, i) => make("tr", {}, make("td", { text: String(i + 1) }), make("td", { class: "num", text: `${few(mode.hz, 5)} Hz` }), make("td", { class: "num", text: mode.damping === null ? "" : few(mode.damping, 4) })));
      const said = Object.entries(shot.values).map(([name, value]) => `${name} ${few(value, 6)}`).join(", ") || "as in the file";
      return make("div", { class: "shot" }, make("h3", { text: shot.name }), make("img", { src: shot.picture, alt: `Mechanism of ${shot.name}` }), make("p", { text: said }), make("table", {}, make("tbody", {}, ...rows)),
        make("button", { type: "button", text: "Remove", "aria-label": `Remove ${shot.name}`, onclick: () => { now.shots = now.shots.filter((s) => s !== shot); refresh(); } }));
    }));
  }
  const picture = () => (stage.scene() ? pictures.mechanism() : "");
  $("snapshot").addEventListener("click", () => {
    if (!now.state) return;
    const n = (now.taken = (now.taken || 0) + 1);
    now.shots = [...now.shots, { name: `Snapshot ${n}`, tone: TONES[(n - 1) % TONES.length], isShown: true, poles: now.state.poles, modes: now.state.modes, values: { ...now.values }, text: editor.text(), curves: now.curves, picture: picture() }];
    refresh();
    panels.show("shots");
  });
  line.on("model", () => { if (now.shots.length && now.shotsOf !== $("path").textContent) { now.shots = []; refresh(); } now.shotsOf = $("path").textContent; });

  // ---- simulation
  const until = make("input", { "aria-label": "Until, s", value: "5", inputmode: "decimal", class: "short" });
  const note = make("p", { class: "why" });
  $("panel-motion").append(make("div", { class: "row" }, make("label", {}, "until ", until, " s"),
    make("button", { type: "button", id: "simulate", text: "Simulate", onclick: () => line.say("simulate", { until: Number(until.value) || 0, values: now.values }) }),
    make("button", { type: "button", id: "back-to-modes", text: "Back to the modes", onclick: () => stage.modes() })), note);
  line.on("motion", (m) => { note.textContent = m.note; panels.setCharts("motion", m.charts, m.charts.length ? "" : "Nothing moves: it starts at rest in equilibrium."); });
}
