"""Make the gallery: ./run python scripts/make_gallery.py [NAME ...] [--reports FOLDER].

For every example, or those named: what the commands of its page print, its picture and its thumbnail; then the index.
With --reports, the reports alone, one page each (build/reports is where the site looks for them). The text of the pages
is written by hand. Needs what make_screenshots.py needs.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import gallery_diagrams
import transcripts
from gallery_shots import SHOTS, report, snap
from make_screenshots import CHROMIUMS, FLAGS, IMAGES, ROOT
from PIL import Image

PAGES = ROOT / "docs" / "gallery"
PICTURES = IMAGES / "gallery"
THUMB, COLOURS = (360, 240), 256
TOPICS = {
    "Pendulums and linkages": (
        "hanging_pendulum", "slider_pendulum", "parallelogram", "four_bar", "planar_four_bar_redundant",
        "cut_joints", "four_bar_with_spring", "andrews_squeezer", "seven_freedom_chain", "families",
        "parametric_pendulum",
    ),
    "Steady motion": ("rotating_pendulum", "conical_pendulum", "flyball_governor", "heavy_top"),
    "Rotors and drives": (
        "rotor_on_bearing", "rotor_stator", "rotor_run_up", "overhung_rotor", "two_disc_rotor", "flexible_rotor",
        "anisotropic_bearings", "oil_whip", "unsymmetric_shaft", "cracked_shaft", "two_blades",
        "three_blade_turbine", "geared_shafts", "torsional_line", "washing_machine", "washing_machine_run_up",
    ),
    "Flexible bodies": ("flexible_slider_crank", "helicopter_blade", "pump_on_frame"),
    "Wheels, tyres, rails": (
        "chaplygin_sleigh", "caster", "rolling_disc", "rattleback", "whipple_bicycle", "wheelset", "single_track_car",
        "root_locus", "tractor_semitrailer",
    ),
    "Suspensions and isolation": (
        "quarter_car", "half_car", "mcpherson_strut", "twist_axle", "all_terrain_vehicle", "stewart_platform",
        "stewart_flexures", "vibration_absorber", "isolated_table", "which_screw",
    ),
    "Robots and control": (
        "quadruped", "six_axis_arm", "gripper", "space_manipulator", "manipulator_reach", "actuated_linkage",
        "active_suspension", "cart_pole_lqr", "python_api",
    ),
}  # fmt: skip
HEAD = """# Gallery

Each is a model in `examples/` that runs in the tests. Each table on its page is what the product prints now, and its
numbers are checked against a source of their own, named there. `scripts/make_gallery.py` makes tables and pictures,
with `--reports FOLDER` the reports.
"""
NAMES = tuple(name for names in TOPICS.values() for name in names)


def main() -> None:
    """Pages, pictures and index; or the reports."""
    arguments = read_arguments()
    names = arguments.names or NAMES
    if arguments.reports:
        arguments.reports.mkdir(parents=True, exist_ok=True)
        for name in names:
            report(name, arguments.reports / f"{name}.html")
            print(arguments.reports / f"{name}.html")
        return
    for name in names:
        page = PAGES / f"{name}.md"
        page.write_text(transcripts.renewed(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(page.relative_to(ROOT))
    draw(names)
    (PAGES / "index.md").write_text(index(), encoding="utf-8")


def read_arguments() -> argparse.Namespace:
    """Names of examples and the folder of the reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; default all")
    parser.add_argument("--reports", type=Path, metavar="FOLDER", help="write the reports there, nothing else")
    found = parser.parse_args()
    unknown = [name for name in found.names if name not in NAMES]
    if unknown:
        parser.error(f"no example of the gallery: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return found


def draw(names: tuple[str, ...]) -> None:
    """Pictures: diagrams where one says most, else the mechanism in a mode as the report draws it."""
    from playwright.sync_api import sync_playwright

    (PICTURES / "thumbs").mkdir(parents=True, exist_ok=True)
    found = next((path for path in map(shutil.which, CHROMIUMS) if path), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        for name in names:
            picture = PICTURES / f"{name}.png"
            if name in SHOTS:
                inner = snap(browser, name, picture, Path(folder))
            else:
                getattr(gallery_diagrams, name)().savefig(picture, dpi=110, metadata={"Software": None})
                inner = None
            shrink(picture, inner)
            print(picture.relative_to(ROOT))
        browser.close()


def shrink(picture: Path, inner: tuple[float, ...] | None) -> None:
    """Few colours for the picture; the thumbnail from its inner part."""
    whole = Image.open(picture).convert("RGB")
    part = whole.crop(tuple(round(x) for x in inner)) if inner else whole
    scale = max(THUMB[0] / part.width, THUMB[1] / part.height)
    if inner is None:  # a diagram keeps its margins
        scale = min(THUMB[0] / part.width, THUMB[1] / part.height)
    part = part.resize((round(part.width * scale), round(part.height * scale)), Image.Resampling.LANCZOS)
    thumb = Image.new("RGB", THUMB, "white")
    thumb.paste(part, ((THUMB[0] - part.width) // 2, (THUMB[1] - part.height) // 2))
    for image, path in ((whole, picture), (thumb, PICTURES / "thumbs" / picture.name)):
        image.quantize(COLOURS, dither=Image.Dither.FLOYDSTEINBERG).save(path, optimize=True)


def index() -> str:
    """The index: thumbnails with the title and the first sentence of each page, by topic."""
    text = HEAD
    for topic, names in TOPICS.items():
        cards = "\n\n".join(card(name) for name in names)
        text += f'\n## {topic}\n\n<div class="grid cards" markdown>\n\n{cards}\n\n</div>\n'
    return text


def card(name: str) -> str:
    """Thumbnail, title and first sentence of a page."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    title, sentence = text.removeprefix("# ").split("\n\n", 2)[:2]
    sentence = sentence.split(". ")[0].rstrip(".")
    picture = f"[![{title}](../images/gallery/thumbs/{name}.png)]({name}.md)"
    return f"- {picture}\n\n    [**{title}**]({name}.md): {sentence[0].lower()}{sentence[1:]}"


if __name__ == "__main__":
    main()
