"""From a slider to the poles: what the studio takes, measured in the browser.

    python benchmarks/studio.py                     3, 10, 30, 100 bodies
    python benchmarks/studio.py --bodies 10 --seconds 5

A chain of bodies with springs and dampers in its joints and two parameters, in the studio as a person has it open:
mechanism moving in 3-D, poles, frequency response, all results following. Measured by the clock of the page: from the
`input` event of the slider to the poles drawn with its number, and to the frame of the browser after that (medians, and
within which nine of ten are), and how many times a second they are drawn anew while the slider moves; and, of all
processes, the processor time that one such update takes: of the browser (without a graphics card it also draws the
frames), and of the studio (server, the process that answers the hand, the one that makes everything else as often as it
can). The time of one turn in the computing process is measured by itself. Needs Chromium and Playwright. Prints one
table and writes benchmarks/results/studio/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

HERE = Path(__file__).resolve().parent
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]  # 3-D without a graphics card; the page itself as always
PATIENCE = 120_000
STEPS = 30
LATENCY = """async (steps) => {
  const slider = document.querySelector("[data-knob=k]"), out = [];
  const drawn = (seq) => new Promise((done) => {
    const heard = (event) => { if (event.detail >= seq) { removeEventListener("poles-drawn", heard); done(); } };
    addEventListener("poles-drawn", heard);
  });
  for (let i = 0; i < steps; i++) {
    await new Promise((done) => setTimeout(done, 400));
    const begin = performance.now(), wait = drawn(studio.now.seq + 1);
    slider.value = 400 + 10 * (i % 2) + i;
    slider.dispatchEvent(new Event("input"));
    await wait;
    const drawnAt = performance.now();
    await new Promise((done) => requestAnimationFrame(done));
    out.push([drawnAt - begin, performance.now() - begin]);
  }
  return out;
}"""
RATE = """async (seconds) => {
  const slider = document.querySelector("[data-knob=k]");
  let count = 0, frames = 0, going = true;
  const frame = () => { frames += 1; if (going) requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  const heard = () => { count += 1; };
  addEventListener("poles-drawn", heard);
  const begin = performance.now();
  while (performance.now() - begin < 1000 * seconds) {
    slider.value = 500 + 300 * Math.sin((performance.now() - begin) / 700);
    slider.dispatchEvent(new Event("input"));
    await new Promise((done) => setTimeout(done, 8)); // as often as a mouse reports
  }
  going = false;
  const time = (performance.now() - begin) / 1000;
  removeEventListener("poles-drawn", heard);
  return [count / time, frames / time];
}"""


def chain(bodies: int) -> str:
    """The model file of a chain of so many bodies."""
    lines = [
        "eigenbody: 1",
        f"name: Chain of {bodies}",
        'parameters: {k: "200 N*m/rad", c: "0.5 N*m*s/rad"}',
        "bodies:",
    ]
    lines += [f"  b{i}: {{mass: 1, inertia: [0.01, 0.01, 0.01], at: [{i + 0.5}, 0, 0]}}" for i in range(bodies)]
    lines.append("joints:")
    before = ["ground", *(f"b{i}" for i in range(bodies - 1))]
    lines += [
        f"  j{i}: {{type: revolute, between: [{first}, b{i}], at: [{i}, 0, 0], axis: [0, 1, 0]}}"
        for i, first in enumerate(before)
    ]
    lines.append("forces:")
    lines += [f"  s{i}: {{type: spring, along: j{i}, k: =k, c: =c}}" for i in range(bodies)]
    lines += ["inputs: {push: {along: j0}}", f"outputs: {{tip: {{measure: j{bodies - 1}}}}}"]
    return "\n".join(lines) + "\n"


def computed(bodies: int) -> float:
    """Processor time of one turn in the computing process, ms: the poles, the table and the shape for the page."""
    from eigenbody.pages.studio.bench import Bench
    from eigenbody.pages.studio.protocol import as_text

    bench = Bench.opened(1, chain(bodies), "chain.yaml", ".")
    least = float("inf")
    for i in range(20):
        begin = time.process_time()
        bench.turned({"k": 201.0 + i}, -1)
        as_text("state", bench.state())
        least = min(least, time.process_time() - begin)
    return 1e3 * least


def processor_time() -> dict[str, float]:
    """Seconds of the processor that browser and studio have had, with all their processes."""
    own = psutil.Process()
    found = {"browser": 0.0, "studio": sum(own.cpu_times()[:2])}
    for child in own.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            side = "studio" if "eigenbody.pages.studio" in " ".join(child.cmdline()) else "browser"
            found[side] += sum(child.cpu_times()[:2])
    return found


def measured(browser: Any, folder: Path, bodies: int, seconds: float) -> dict[str, float]:
    """Latency and rate of one chain."""
    import eigenbody as eb

    path = folder / f"chain{bodies}.yaml"
    path.write_text(chain(bodies))
    studio = eb.studio(path, show=False)
    page = browser.new_page(viewport={"width": 1500, "height": 950}, bypass_csp=True)
    page.set_default_timeout(PATIENCE)
    page.goto(studio.address)
    page.wait_for_function("window.studio && studio.now.state && studio.now.curves && studio.stage.scene()")
    page.wait_for_timeout(3000)
    drawn, shown = (sorted(times) for times in zip(*page.evaluate(LATENCY, STEPS), strict=True))
    before = processor_time()
    rate, frames = page.evaluate(RATE, seconds)
    used = {side: 1e3 * (total - before[side]) / (rate * seconds) for side, total in processor_time().items()}
    page.close()
    studio.stop()
    return {
        "bodies": bodies, "computed_ms": computed(bodies), "drawn_ms": drawn[STEPS // 2],
        "drawn_9_of_10_ms": drawn[int(0.9 * STEPS)],
        "frame_ms": shown[STEPS // 2],
        "updates_per_second": rate, "frames_per_second": frames,
        "browser_ms_per_update": used["browser"], "studio_ms_per_update": used["studio"],
    }  # fmt: skip


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", default="3,10,30,100")
    parser.add_argument("--seconds", type=float, default=4.0)
    asked = parser.parse_args()
    found = next((path for path in map(shutil.which, CHROMIUMS) if path), None)
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        print(
            "bodies  computed  event to drawn poles  9 of 10 within  to the next frame  drawn while moving  frames"
            "  processor time of an update: browser, studio"
        )
        for bodies in map(int, asked.bodies.split(",")):
            row = measured(browser, Path(folder), bodies, asked.seconds)
            rows.append(row)
            print(
                f"{bodies:6d} {row['computed_ms']:6.1f} ms {row['drawn_ms']:18.1f} ms"
                f" {row['drawn_9_of_10_ms']:12.1f} ms {row['frame_ms']:15.1f} ms"
                f" {row['updates_per_second']:18.1f} /s {row['frames_per_second']:5.1f} /s"
                f" {row['browser_ms_per_update']:20.1f} ms {row['studio_ms_per_update']:6.1f} ms",
                flush=True,
            )
        browser.close()
    target = HERE / "results" / "studio" / f"{datetime.date.today()}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    about = {"machine": platform.platform(), "processors": os.cpu_count(), "load": os.getloadavg()[0]}
    target.write_text(json.dumps({**about, "graphics": "drawn by the processor", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
