// Buttons, sliders, keys, and the panel that explains the chosen mode. Names are set as text, never as markup.
"use strict";

EB.connect = function (player, scene, data) {
  const $ = (id) => document.getElementById(id);
  const modes = data.modes || [], rows = [...document.querySelectorAll("[data-mode]")];
  const on = (id, kind, run) => { const item = $(id); if (item) item.addEventListener(kind, run); return item; };
  const number = (value, digits = 3) => (value === null || value === undefined ? "–" : Number(value.toPrecision(digits)).toString());

  // ---- controls

  on("play", "click", () => player.play(!player.playing));
  on("previous", "click", () => player.select(player.mode - 1));
  on("next", "click", () => player.select(player.mode + 1));
  on("amplitude", "input", (e) => player.setAmplitude(Number(e.target.value)));
  on("speed", "input", (e) => (player.what === "motion" ? player.setRate : player.setSpeed)(10 ** Number(e.target.value)));
  on("time", "input", (e) => { player.play(false); player.setTime(Number(e.target.value)); });
  for (const layer of ["joint", "force", "marker"]) on(`show-${layer}`, "change", (e) => scene.show(layer, e.target.checked));
  on("show-names", "change", (e) => scene.showNames(e.target.checked));
  on("show-ghost", "change", (e) => scene.showGhost(e.target.checked));
  const colours = EB.showEnergy(player, scene, data, () => Boolean($("show-strain") && $("show-strain").checked));
  on("show-strain", "change", colours);
  if ($("show-names")) scene.showNames($("show-names").checked);
  for (const name of scene.views) on(`view-${name}`, "click", () => scene.view(name));
  for (const row of rows) row.addEventListener("click", () => { player.select(Number(row.dataset.mode)); if (row.closest("table")) $("viewer").scrollIntoView({ block: "start" }); });
  for (const what of ["mode", "motion"]) on(`play-${what}`, "click", () => player.setWhat(what));

  // ---- keys, while the viewer has the focus

  on("viewer", "keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = e.target.matches("input[type=range], select"), onButton = e.target.matches("button, input[type=checkbox]");
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
    if (step && e.shiftKey) scene.rotate(e.key === "ArrowRight" ? -0.15 : e.key === "ArrowLeft" ? 0.15 : 0, e.key === "ArrowUp" ? 0.12 : e.key === "ArrowDown" ? -0.12 : 0);
    else if (step && !typing && modes.length) player.select(player.mode + step);
    else if (e.key === " " && !onButton && !typing) player.play(!player.playing);
    else if (e.key === "+" || e.key === "=") scene.zoom(0.87);
    else if (e.key === "-") scene.zoom(1.15);
    else if (e.key === "]" || e.key === "[") slide("amplitude", e.key === "]" ? 0.1 : -0.1);
    else if (e.key === "0") scene.view("oblique");
    else return;
    e.preventDefault();
  });
  function slide(id, by) {
    const item = $(id);
    item.value = Number(item.value) + by;
    item.dispatchEvent(new Event("input"));
  }

  // ---- what is shown

  function element(tag, className, text) {
    const item = document.createElement(tag);
    if (className) item.className = className;
    if (text !== undefined) item.textContent = text;
    return item;
  }
  function bars(title, shares) {
    const box = element("div", "shares");
    box.append(element("h4", "", title));
    if (!shares.length) box.append(element("p", "none", "none"));
    for (const [name, share, phase] of shares) {
      const line = element("div", shares[0].length > 2 ? "share phased" : "share"), bar = element("span", share < 0 ? "bar negative" : "bar");
      bar.style.setProperty("--share", Math.min(1, Math.abs(share)));
      line.append(element("span", "name", name), bar, element("span", "value", `${number(100 * share)} %`));
      if (shares[0].length > 2) line.append(element("span", "value", phase === null ? "" : `∠ ${phase}°`));
      box.append(line);
    }
    return box;
  }
  function explain(mode) {
    const panel = $("mode-detail");
    if (!panel || !mode) return;
    const facts = element("p", "facts");
    for (const [name, text] of mode.facts) { const item = element("span"); item.append(element("i", "", `${name} `), text); facts.append(item); }
    panel.replaceChildren(element("h3", "", `Mode ${mode.index}: ${mode.label}`), facts);
    if (mode.remark) panel.append(element("p", "remark", mode.remark));
    const all = element("div", "energies");
    for (const [title, shares] of mode.energies) all.append(bars(title, shares));
    panel.append(all);
  }
  let explained = -1;
  function refresh() {
    const isMotion = player.what === "motion", mode = modes[player.mode];
    const play = $("play");
    if (play) {
      play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
      play.title = `${player.playing ? "Pause" : "Play"} (space)`;
      play.dataset.state = player.playing ? "playing" : "paused";
    }
    for (const row of rows) {
      const chosen = !isMotion && Number(row.dataset.mode) === player.mode;
      if (row.matches("button")) row.setAttribute("aria-pressed", chosen);
      row.classList.toggle("chosen", chosen);
    }
    for (const what of ["mode", "motion"]) if ($(`play-${what}`)) $(`play-${what}`).setAttribute("aria-pressed", player.what === what);
    for (const item of document.querySelectorAll("[data-only]")) item.hidden = item.dataset.only !== player.what;
    if ($("amplitude")) {
      $("amplitude").value = player.amplitude;
      $("amplitude-value").textContent = `${number(player.amplitude, 2)}×`;
    }
    if ($("speed-value")) {
      const ratio = isMotion ? player.rate : mode && mode.hz > 0 ? player.speed / mode.hz : null;
      $("speed-value").textContent = ratio === null ? `${number(player.speed, 2)} cycles/s` : ratio >= 1 ? `${number(ratio, 2)}× real` : `1/${number(1 / ratio, 2)} of real`;
      $("speed").value = Math.log10(isMotion ? player.rate : player.speed);
    }
    if (isMotion) showTime(player.time);
    if (mode && explained !== player.mode) {
      explained = player.mode;
      explain(mode);
      const row = rows.find((r) => r.matches("button") && Number(r.dataset.mode) === player.mode), list = row && row.closest(".modes");
      const under = row ? row.offsetTop + row.clientHeight + 10 : 0;
      if (list && (row.offsetTop < list.scrollTop || under > list.scrollTop + list.clientHeight)) list.scrollTop = Math.max(0, under - list.clientHeight / 2);
    }
  }
  function showTime(time) {
    if (!$("time")) return;
    $("time").value = time;
    $("time-value").textContent = `${number(time, 3)} s`;
  }
  player.onTime = showTime;
  player.changed.push(refresh);
  refresh();
};
