// Printing: in light colours, every chart as wide as the paper, and the mechanism as a still picture.
"use strict";

EB.PAPER = 680; // px that A4 and letter have between their margins

EB.still = function (canvas, wide, high, names) { // the picture with its names, on a canvas that does not change
  const flat = document.createElement("canvas"), pen = flat.getContext("2d");
  [flat.width, flat.height, flat.className] = [canvas.width, canvas.height, "still"];
  pen.drawImage(canvas, 0, 0);
  pen.scale(canvas.width / wide, canvas.height / high);
  Object.assign(pen, { font: "12px sans-serif", textAlign: "center", textBaseline: "middle" });
  for (const name of names) {
    pen.fillStyle = "rgba(255, 255, 255, 0.75)";
    pen.fillRect(name.x - name.wide / 2, name.y - 9, name.wide, 18);
    pen.fillStyle = "#1d2433";
    pen.fillText(name.text, name.x, name.y, name.wide);
  }
  return flat;
};

EB.forPaper = function (charts, repaint) {
  const root = document.documentElement;
  /** @type {any} */
  let before = null; // what to go back to
  function toPaper() { // all of it at once: nobody waits for what comes later
    if (before) return;
    const { scene, player } = window.eigenbody;
    const folded = [...document.querySelectorAll("details:not([open])")]; // on paper nobody can open them
    before = { theme: root.dataset.theme, phase: player && player.phase, folded };
    for (const item of folded) item.open = true;
    root.dataset.theme = "light";
    repaint();
    charts.onPaper(EB.PAPER);
    if (!scene) return;
    if (player.what === "mode" && player.playing) { player.phase = 0; player.pose(); } // where the mode is seen best
    before.still = scene.picture(EB.still);
    document.getElementById("view").append(before.still);
  }
  function toScreen() {
    if (!before) return;
    const { theme, phase, still, folded } = before, { player } = window.eigenbody;
    before = null;
    if (still) still.remove();
    for (const item of folded) item.open = false;
    if (theme === undefined) delete root.dataset.theme; else root.dataset.theme = theme;
    if (player && player.what === "mode") { player.phase = phase; player.pose(); }
    charts.onPaper(null);
    repaint();
  }
  window.addEventListener("beforeprint", toPaper);
  window.addEventListener("afterprint", toScreen);
  window.matchMedia("print").addEventListener("change", (media) => (media.matches ? toPaper : toScreen)());
};
