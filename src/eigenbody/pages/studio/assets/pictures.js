// Pictures and movies to take away: every chart as PNG or SVG, the mechanism as PNG, its motion as an animated file.

import { make, save } from "./dom.js";

const CYCLE = 40; // pictures of one period of a mode
const MOST = 240; // pictures of a simulated motion
const PACE = 0.05; // seconds between two pictures, where nothing else says it
const PORTION = 4e6; // characters of one message

/** A chart as it is now. @param {any} host @param {"png" | "svg"} format */
export async function chartPicture(host, format) {
  const figure = { data: host.picture ? host.picture() : host.data, layout: { ...host.layout, paper_bgcolor: EB.style("--card") } };
  return window.Plotly.toImage(figure, { format, width: Math.max(700, host.clientWidth), height: Math.max(380, host.clientHeight) });
}
/** @param {any} host */
const nameOf = (host) => (host.getAttribute("aria-label") || "chart").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 40);

/** What charts have at their upper right corner. */
export function chartConfig() {
  const icon = (/** @type {string} */ letters) => ({ width: 24, height: 24, path: letters === "PNG" ? "M3 5h18v14H3zM5 17h14l-4-6-3 4-2-2z" : "M3 5h18v14H3zM6 15c3-8 9 4 12-6" });
  const button = (/** @type {"png" | "svg"} */ format) => ({ name: `Save as ${format.toUpperCase()}`, title: `Save as ${format.toUpperCase()}`, icon: icon(format.toUpperCase()), click: async (/** @type {any} */ host) => save(await chartPicture(host, format), `${nameOf(host)}.${format}`) });
  return { ...EB.chartConfig, modeBarButtonsToRemove: [...EB.chartConfig.modeBarButtonsToRemove, "toImage"], modeBarButtonsToAdd: [button("png"), button("svg")] };
}

export function makePictures({ line, tellUser }, stage) {
  /** The mechanism on the colour of the page. */
  function mechanism() {
    const scene = stage.scene(), sheet = make("canvas", {});
    scene.dirty();
    scene.draw();
    Object.assign(sheet, { width: scene.canvas.width, height: scene.canvas.height });
    const pen = sheet.getContext("2d");
    pen.fillStyle = EB.style("--card");
    pen.fillRect(0, 0, sheet.width, sheet.height);
    pen.drawImage(scene.canvas, 0, 0);
    return sheet.toDataURL("image/png");
  }
  /** Pictures at even steps: a mode over one period, a simulated motion from its beginning to its end. */
  function* frames() {
    const player = stage.player(), was = { playing: player.playing, phase: player.phase, time: player.time };
    player.playing = false;
    try {
      const times = stage.times(), count = times ? Math.max(2, Math.min(MOST, Math.round((times[times.length - 1] - times[0]) / (PACE * player.rate)))) : CYCLE;
      for (let k = 0; k < count; k++) {
        if (times) player.setTime(times[0] + (k / (count - 1)) * (times[times.length - 1] - times[0])); else player.setPhase((2 * Math.PI * k) / count);
        yield mechanism();
      }
    } finally { Object.assign(player, was); player.pose(); }
  }
  /** @param {"gif" | "png"} format */
  async function movie(format) {
    if (!stage.scene() || !stage.player()) return;
    const player = stage.player(), seconds = stage.times() ? PACE : 1 / (CYCLE * player.speed);
    let portion = [], size = 0;
    for (const picture of frames()) {
      portion.push(picture);
      size += picture.length;
      if (size > PORTION) { line.say("movie", { frames: portion, is_last: false, format, seconds }); portion = []; size = 0; }
      await new Promise((done) => setTimeout(done, 0));
    }
    line.say("movie", { frames: portion, is_last: true, format, seconds });
  }
  line.on("file", (m) => save(new Blob([Uint8Array.from(atob(m.content), (c) => c.charCodeAt(0))], { type: m.type }), m.name));
  return {
    mechanism,
    row: () => make("div", { class: "row", role: "group", "aria-label": "Pictures" },
      make("button", { type: "button", text: "Mechanism as PNG", onclick: () => (stage.scene() ? save(mechanism(), "mechanism.png") : tellUser("There is nothing drawn.")) }),
      make("button", { type: "button", text: "Movie as GIF", onclick: () => movie("gif") }),
      make("button", { type: "button", text: "Movie as animated PNG", onclick: () => movie("png") })),
  };
}
