// Colours with a meaning: strain energy on springs and beams, sense of the orbits; and the legend that says so.
"use strict";

EB.heat = ["#b9c4d3", "#e9c46a", "#ee8c3c", "#c8282d"]; // from none to the most
EB.opposes = "#7a4fb5"; // a share below zero: it destabilizes

EB.heatColour = function (part) { // between the colours, 0 to 1
  const at = Math.max(0, Math.min(1, part)) * (EB.heat.length - 1), i = Math.min(Math.floor(at), EB.heat.length - 2), f = at - i;
  const [a, b] = [EB.heat[i], EB.heat[i + 1]].map((text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16)));
  return `#${a.map((value, k) => Math.round(value + f * (b[k] - value)).toString(16).padStart(2, "0")).join("")}`;
};

// What an element of the drawing is called among the sources of strain energy.
EB.strained = (source) => (source.layer === "force" ? source.name : source.sections && source.layer === "body" ? `${source.title}.elastic` : null);

EB.showEnergy = function (player, scene, data, isWanted) {
  const host = document.getElementById("view"), legend = document.createElement("div");
  legend.className = "meaning";
  host.append(legend);
  const line = (...parts) => { const row = document.createElement("p"); row.append(...parts); legend.append(row); };
  const swatch = (background) => { const item = document.createElement("i"); item.style.background = background; return item; };
  let shown = "";
  function refresh() {
    const mode = player.what === "mode" ? (data.modes || [])[player.mode] : null, isOn = isWanted();
    const state = `${player.what} ${player.mode} ${isOn} ${player.amplitude > 0}`;
    if (state === shown) return;
    shown = state;
    legend.replaceChildren();
    const shares = mode && isOn ? mode.strain : {}, drawn = new Set([...data.scene.parts, ...data.scene.links, ...data.scene.lines].map(EB.strained));
    const own = Object.entries(shares).filter(([name]) => drawn.has(name)), most = Math.max(0, ...own.map(([, share]) => share));
    if (own.length) {
      scene.tint((source) => { const share = shares[EB.strained(source)]; return EB.strained(source) === null ? null : share < 0 ? EB.opposes : EB.heatColour(most ? (share || 0) / most : 0); });
      const bar = swatch(`linear-gradient(90deg, ${EB.heat.join(", ")})`);
      bar.className = "scale";
      line("Strain energy 0 ", bar, ` ${Number((100 * most).toPrecision(3))} %`);
      if (own.some(([, share]) => share < 0)) line(swatch(EB.opposes), " opposes");
    } else scene.tint(null);
    const senses = new Set((mode ? player.paths || [] : []).map((path) => path.whirl).filter(Boolean));
    if (senses.size) line("Orbits ", ...["forward", "backward", "straight"].filter((s) => senses.has(s)).flatMap((s) => [swatch(EB.whirls[s]), ` ${s} `]));
    legend.hidden = !legend.childNodes.length;
  }
  player.changed.push(refresh);
  refresh();
  return refresh;
};
