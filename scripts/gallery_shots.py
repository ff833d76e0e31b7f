"""Models of the gallery as reports and as pictures of the mechanism in a mode."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from make_screenshots import PATIENCE, ROOT

import eigenbody as eb

EXAMPLES = ROOT / "examples"
SIZE = (1200, 860)


class Shot(NamedTuple):
    """Mode (counted from 1) and amplitude in which a mechanism is caught, from where, and whether beside its rest."""

    mode: int
    amplitude: float = 1.0
    view: str = "oblique"
    rest: bool = True
    phase: float = 0.3


SHOTS = {
    "hanging_pendulum": Shot(1, 2.0),
    "slider_pendulum": Shot(1, 2.0),
    "parallelogram": Shot(1, 2.0),
    "four_bar": Shot(1, 2.0),
    "planar_four_bar_redundant": Shot(1, 2.0),
    "four_bar_with_spring": Shot(1),
    "andrews_squeezer": Shot(1, view="top", rest=False),
    "families": Shot(2, view="top"),
    "rotating_pendulum": Shot(3, 2.0),
    "conical_pendulum": Shot(3, 2.0),
    "flyball_governor": Shot(3),
    "heavy_top": Shot(5, 1.5),
    "rotor_on_bearing": Shot(4, 4.0),
    "rotor_stator": Shot(7),
    "geared_shafts": Shot(3),
    "washing_machine": Shot(6, 1.5),
    "flexible_slider_crank": Shot(1, view="front"),
    "chaplygin_sleigh": Shot(5),
    "caster": Shot(2),
    "rolling_disc": Shot(7),
    "rattleback": Shot(5, 0.5),
    "whipple_bicycle": Shot(8),
    "single_track_car": Shot(5),
    "tractor_semitrailer": Shot(6),
    "mcpherson_strut": Shot(1),
    "twist_axle": Shot(2),
    "all_terrain_vehicle": Shot(3),
    "stewart_platform": Shot(1),
    "stewart_flexures": Shot(1),
    "quadruped": Shot(4),
    "six_axis_arm": Shot(5, 2.0),
    "gripper": Shot(2, 0.6, phase=3.4),
    "space_manipulator": Shot(1, 0.0, rest=False),
    "actuated_linkage": Shot(1),
    "python_api": Shot(1),
}
BUILT: dict[str, Callable[[dict[str, Any]], eb.Model]] = {  # from the names of a script
    "families": lambda names: eb.load(names["family"]("TL4RF1")),
    "two_disc_rotor": lambda names: names["model"](12),
    "flexible_rotor": lambda names: names["model"](names["ROTORS"][2]).with_parameters(speed=400.0),
    "washing_machine_run_up": lambda names: names["model"](gain=0.0).set(operating_point="equilibrium"),
    "cart_pole_lqr": lambda names: names["controlled"](names["gains"]()),
    "python_api": lambda names: names["build"](),
    "pump_on_frame": lambda names: names["together"](),
    "root_locus": lambda names: eb.load(names["CAR"], Cf=140e3),
    "rotor_run_up": lambda names: names["model"](0.5, 0.0),
    "seven_freedom_chain": lambda names: names["model"](position=eb.equilibrium(names["model"]()).point.coordinates()),
    "manipulator_reach": lambda names: names["model"](),
    "cut_joints": lambda names: names["model"](2.0),
}
READ: dict[str, Callable[[], eb.Model]] = {  # from files of other formats, where they stand
    "six_axis_arm": lambda: (
        eb.load(EXAMPLES / "six_axis_arm.urdf").posed(shoulder=-0.6, elbow=0.9).set(operating_point={"held": "all"})
    ),
    "gripper": lambda: eb.load(EXAMPLES / "gripper.xml").posed("closed").set(operating_point={"held": "all"}),
}
OPTIONS: dict[str, dict[str, Any]] = {  # of the reports
    "rotor_stator": {"campbell": ("speed", 0, "1 Hz", 41)},
    "overhung_rotor": {"campbell": ("speed", 0, "200 rad/s", 41)},
    "whipple_bicycle": {"campbell": ("v", 0.5, 8, 31)},
    "wheelset": {"campbell": ("V", 20, 100, 17)},
    "root_locus": {"campbell": ("V", 10, 60, 11)},
    "andrews_squeezer": {"simulate": 0.03},
}


def model_of(name: str) -> eb.Model:
    """The model of an example, from its file or built by its script."""
    if name in BUILT:
        return BUILT[name](runpy.run_path(str(EXAMPLES / f"{name}.py")))
    if name in READ:
        return READ[name]()
    return eb.load(EXAMPLES / f"{name}.yaml")


def report(name: str, path: Path) -> None:
    """Write the report of an example."""
    eb.report(model_of(name), path, **OPTIONS.get(name, {}))


def snap(browser: Any, name: str, picture: Path, folder: Path) -> tuple[float, ...]:
    """Photograph mechanism and list of modes; returns the corners of the mechanism's part."""
    shot, path = SHOTS[name], folder / f"{name}.html"
    eb.report(model_of(name), path)
    page = browser.new_page(
        viewport=dict(zip(("width", "height"), SIZE, strict=True)), color_scheme="light", bypass_csp=True
    )
    page.set_default_timeout(PATIENCE)
    page.goto(f"{path.as_uri()}#high-quality", timeout=PATIENCE)
    page.wait_for_function("window.eigenbody && window.eigenbody.ready")
    page.evaluate(
        f"(() => {{ const p = eigenbody.player; p.play(false); p.select({shot.mode - 1});"
        f" p.setAmplitude({shot.amplitude}); p.setPhase({shot.phase}); document.activeElement.blur(); }})()"
    )
    page.click(f"#view-{shot.view}")
    page.set_checked("#show-ghost", shot.rest)
    page.wait_for_timeout(2500)
    whole, view = (page.locator(which).bounding_box() for which in ("#viewer", "#view"))
    page.screenshot(path=picture, clip={**whole, "height": view["y"] + view["height"] - whole["y"]})
    page.close()
    left, top = view["x"] - whole["x"], view["y"] - whole["y"]
    return left, top, left + view["width"], top + view["height"]
