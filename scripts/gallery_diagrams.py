"""Diagrams of the gallery: one function for each example that is seen best in one, named like it."""

from __future__ import annotations

import math
import runpy

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from make_screenshots import ROOT
from matplotlib.figure import Figure

import eigenbody as eb

EXAMPLES = ROOT / "examples"
SIZE = (8, 4.6)


def overhung_rotor() -> Figure:
    """Campbell diagram."""
    return eb.campbell(eb.load(EXAMPLES / "overhung_rotor.yaml"), "speed", np.linspace(0, 200, 41)).plot()


def two_disc_rotor() -> Figure:
    """Campbell diagram."""
    return runpy.run_path(str(EXAMPLES / "two_disc_rotor.py"))["diagram"]().plot()


def anisotropic_bearings() -> Figure:
    """Campbell diagram."""
    rotor = eb.load(EXAMPLES / "anisotropic_bearings.yaml")
    return eb.campbell(rotor, "speed", np.linspace(0, 4000, 21) * math.pi / 30, n=7).plot()


def oil_whip() -> Figure:
    """Campbell diagram with the speed at which whip begins."""
    rotor = eb.load(EXAMPLES / "oil_whip.yaml")
    return eb.campbell(rotor, "speed", np.linspace(500, 8000, 31) * math.pi / 30, n=8).plot()


def torsional_line() -> Figure:
    """How far every station turns in each mode, at the speed of the wheel."""
    model = eb.load(EXAMPLES / "torsional_line.yaml")
    modes = eb.modes(model)
    rows = [modes.linear.coordinates.index(name) for name in ("e1", "e2", "w", "s")]
    shapes = np.real(modes.coordinate_shapes[-3:, rows]).T
    e1, e2, wheel, propeller = shapes * np.array([-0.5, -0.5, 1, 1])[:, None]
    figure, panels = plt.subplots(1, 3, figsize=SIZE, layout="constrained", sharey=True)
    for k, axes in enumerate(panels):
        size = np.abs(shapes[:, k] * [0.5, 0.5, 1, 1]).max()
        for engine, colour, name, width in ((e1, "tab:blue", "engine 1", 5), (e2, "tab:orange", "engine 2", 1.5)):
            line = np.array([engine[k], wheel[k], wheel[k]]) / size  # the second lies on the first in two modes
            marks = {"marker": "o", "ms": 5 + width, "markevery": [0, 1]}
            axes.plot([0, 1, 1.15], line, color=colour, label=name, lw=width, **marks)
        axes.plot([1.15, 2.5], np.array([wheel[k], propeller[k]]) / size, "o-", color="tab:green", label="propeller")
        axes.axhline(0, color="k", lw=0.8)
        axes.set(title=f"{modes.frequency_hz[-3:][k]:.2f} Hz", xticks=[0, 1.08, 2.5], ylim=(-1.15, 1.15))
        axes.set_xticklabels(["engines", "gear", "propeller"])
        axes.grid(alpha=0.25)
    panels[0].set_ylabel("angle, referred to the wheel")
    panels[1].legend(loc="lower right")
    return figure


def flexible_rotor() -> Figure:
    """Campbell diagram of the rotor with two discs on unequal bearings."""
    names = runpy.run_path(str(EXAMPLES / "flexible_rotor.py"))
    rotor = names["ROTORS"][2]
    return eb.campbell(names["model"](rotor), "speed", np.linspace(0, rotor.speeds[-1], 21), n=9).plot()


def unsymmetric_shaft() -> Figure:
    """Growth over the speed, on equal and on unequal bearings."""
    model, speeds = eb.load(EXAMPLES / "unsymmetric_shaft.yaml"), np.linspace(100, 190, 31)
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    for ky, color, name in ((8e6, "tab:gray", "equal bearings"), (4e6, "tab:blue", "unequal bearings")):
        found = eb.floquet_sweep(model.with_parameters(ky=ky), "speed", speeds)
        growth = [np.nanmax(point.real) for point in found.exponents]
        edges = [edge.value for edge in found.boundaries]
        order = np.argsort([*speeds, *edges])
        x, y = np.array([*speeds, *edges])[order], np.array([*growth, *np.zeros(len(edges))])[order]
        axes.plot(x, y, color=color, label=f"{name}: unstable from {edges[0]:.1f} to {edges[1]:.1f} rad/s")
        axes.plot(edges, [0, 0], "o", color=color)
    axes.axhline(0, color="k", lw=0.8)
    axes.set(xlabel="speed, rad/s", ylabel="growth of the least damped motion, 1/s", xlim=(100, 190))
    axes.set_title("Shaft with unequal stiffness")
    axes.grid(alpha=0.25)
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure


def cracked_shaft() -> Figure:
    """Vertical motion at once, twice and three times the speed."""
    model, speeds = eb.load(EXAMPLES / "cracked_shaft.yaml"), np.linspace(30, 175, 146)
    lines = []
    for speed in speeds:
        start = eb.operating_point(model.with_parameters(speed=speed))
        motion = eb.simulate(start, until=2 * math.pi / speed, points=33, tolerance=1e-9)
        lines.append(2e6 * np.abs(np.fft.rfft(motion.signal("disc.y")[:-1])[1:4]) / 32)
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    for k, (column, color) in enumerate(zip(np.array(lines).T, ("tab:gray", "tab:red", "tab:blue"), strict=True)):
        axes.semilogy(speeds, column, color=color, label=f"{k + 1} per turn")
    axes.set(xlabel="speed, rad/s", ylabel="vertical amplitude, micrometres", xlim=(30, 175))
    axes.set_title("Cracked shaft that turns under its own weight")
    axes.grid(which="both", alpha=0.25)
    axes.legend()
    return figure


def washing_machine_run_up() -> Figure:
    """Spectra of the sideways motion, one behind the other."""
    names = runpy.run_path(str(EXAMPLES / "washing_machine_run_up.py"))
    return names["waterfall"](names["run"]())


def two_blades() -> Figure:
    """Floquet exponents over speed, with the boundaries of stability."""
    return eb.floquet_sweep(eb.load(EXAMPLES / "two_blades.yaml"), "speed", np.linspace(5, 45, 81)).plot()


def three_blade_turbine() -> Figure:
    """Campbell diagram in the fixed frame with lines of 1, 3 and 6 per revolution."""
    turbine = eb.load(EXAMPLES / "three_blade_turbine.yaml")
    found = eb.campbell(turbine, "speed", np.linspace(0, 16, 17) * math.pi / 30, per_rev=(1, 3, 6), n=8)
    return found.plot()


def parametric_pendulum() -> Figure:
    """Where the pendulum, upright or hanging, is stable: the chart of Mathieu's equation in the model's numbers."""
    pendulum = eb.load(EXAMPLES / "parametric_pendulum.yaml")
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained")
    own = math.sqrt(0.5 * 9.81 / 0.35)
    charts = ((1, "upright", (20, 400)), (-1, "hanging", (1.4 * own, 2 * own, 2.9 * own)))
    for axes, (side, word, speeds) in zip(panels, charts, strict=True):
        edges = []
        for stroke in np.geomspace(0.02, 0.1, 17):
            model = pendulum.with_parameters(a=stroke, side=side, c=0.01)
            edges += [(edge.value, 1000 * stroke) for edge in eb.floquet_sweep(model, "w", speeds).boundaries]
        x, y = np.array(edges).T
        for part in (x < 2 * own, x >= 2 * own):
            axes.plot(x[part], y[part], color="tab:blue")
        axes.set(xlabel="frequency of the pivot, rad/s", ylabel="stroke a, mm", title=f"{word}: edges of stability")
        axes.grid(alpha=0.3)
    least = math.sqrt(2 * 9.81 * 0.35 / 0.5)  # Kapitza: a w > sqrt(2 g (J + m l^2) / (m l)), for small strokes
    stroke = np.linspace(0.02, 0.1, 50)
    panels[0].plot(least / stroke, 1000 * stroke, color="0.8", lw=6, zorder=1, label="Kapitza's mean: a w = const")
    panels[0].legend(fontsize=9)
    panels[0].annotate("stands", (120, 60))
    panels[0].annotate("falls", (60, 30))
    panels[1].axvline(2 * own, color="tab:gray", lw=1, ls="--")
    panels[1].annotate("swings up", (2 * own, 80), ha="center", bbox={"fc": "white", "ec": "none", "pad": 1})
    panels[1].annotate("twice its own frequency", (2 * own + 0.1, 8), fontsize=9, color="tab:gray")
    return figure


def helicopter_blade() -> Figure:
    """Campbell diagram."""
    blade = eb.load(EXAMPLES / "helicopter_blade.yaml")
    return eb.campbell(blade, "rpm", np.linspace(0, 660, 13), per_rev=(1, 2, 3, 4, 5, 6), n=9).plot()


def wheelset() -> Figure:
    """Root locus of hunting."""
    speeds = np.linspace(20, 100, 33)
    found = eb.campbell(eb.load(EXAMPLES / "wheelset.yaml"), "V", speeds)
    return hunting(found.values, found.eigenvalues)


def hunting(speeds: np.ndarray, eigenvalues: np.ndarray) -> Figure:
    """Damping of the branch that hunts, and its frequency."""
    at = int(np.argmax(eigenvalues[-1].real))
    branch = eigenvalues[:, at]
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    axes.plot(speeds, branch.real, color="tab:blue", label="growth, 1/s")
    axes.plot(speeds, np.abs(branch.imag) / (2 * math.pi), color="tab:gray", label="frequency, Hz")
    axes.axhline(0, color="k", lw=0.8)
    mark(axes, 78.89812, 0, "hunting begins at 78.90 m/s", (45, 3.2))
    axes.set(xlabel="speed, m/s", title="Railway wheelset: the mode that hunts", xlim=(20, 100))
    axes.grid(alpha=0.25)
    axes.legend(loc="upper left")
    return figure


def root_locus() -> Figure:
    """Both real eigenvalues over speed."""
    names = runpy.run_path(str(EXAMPLES / "root_locus.py"))
    speeds = np.linspace(10, 60, 26)
    roots = np.array([sorted(r.real) for r in names["locus"](speeds, 140e3).values()])
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    axes.plot(speeds, roots[:, 0], color="tab:gray")
    axes.plot(speeds, roots[:, 1], color="tab:blue")
    axes.axhline(0, color="k", lw=0.8)
    mark(axes, names["critical_speed"](140e3, 30, 60), 0, "diverges above 47.47 m/s", (33, 2.2))
    axes.set(xlabel="speed, m/s", ylabel="real eigenvalue, 1/s", title="Oversteering car", xlim=(10, 60), ylim=(-20, 4))
    axes.grid(alpha=0.25)
    return figure


def quarter_car() -> Figure:
    """Densities on a road of class B."""
    return eb.psd(eb.load(EXAMPLES / "quarter_car.yaml"), eb.Road("B", 20.0), outputs="acceleration").plot()


def half_car() -> Figure:
    """Densities on a road of class B, the rear axle behind the front."""
    car = eb.load(EXAMPLES / "half_car.yaml")
    return eb.psd(car, eb.Road("B", 20.0), outputs="pitch", delays={"rear": 0.13}).plot()


def which_screw() -> Figure:
    """Tornado of the mode beside the motor's speed."""
    figure = eb.sensitivity(eb.load(EXAMPLES / "which_screw.yaml")).plot(mode=3)
    figure.set_size_inches(11, 4.8)
    return figure


def cart_pole_lqr() -> Figure:
    """The pole let go at 20 degrees."""
    names = runpy.run_path(str(EXAMPLES / "cart_pole_lqr.py"))
    motion = eb.simulate(names["controlled"](names["gains"](), position=np.deg2rad(20)), until=6.0, points=601)
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    axes.plot(motion.t, np.rad2deg(motion.signal("pole")), color="tab:blue", label="pole, degrees")
    axes.plot(motion.t, 10 * motion.signal("cart"), color="tab:orange", label="cart, decimetres")
    axes.axhline(0, color="k", lw=0.8)
    axes.set(xlabel="time, s", title="Cart and pole, nonlinear, with the regulator of the linear model", xlim=(0, 6))
    axes.grid(alpha=0.25)
    axes.legend()
    return figure


def pump_on_frame() -> Figure:
    """What superelements with few modes miss of each frequency."""
    whole, found, dropped = runpy.run_path(str(EXAMPLES / "pump_on_frame.py"))["comparison"]()
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    for n, color in ((0, "tab:gray"), (2, "tab:orange"), (6, "tab:blue")):
        axes.semilogy(whole[:10], found[n][:10] / whole[:10] - 1, "o-", color=color, label=f"{n} modes")
        if dropped[n] < 45:
            axes.axvline(dropped[n], color=color, ls="--", lw=0.9)
    axes.set(xlabel="frequency of the frame with the whole pump, Hz", ylabel="too high by, in parts of it")
    axes.set_title("Superelement of the pump (dashed: first frequency that was dropped)", loc="left", fontsize=10)
    axes.grid(which="major", alpha=0.25)
    axes.legend()
    return figure


def active_suspension() -> Figure:
    """Road to body, passive and active, and the point that both share."""
    hz, w = np.geomspace(0.1, 60, 500), math.sqrt(200e3 / 40)
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    for active, name, color in ((0, "passive", "tab:gray"), (1, "active", "tab:blue")):
        model = eb.load(EXAMPLES / "active_suspension.yaml", active=active)
        found = eb.frf(model, outputs="acceleration", frequencies_hz=hz)
        axes.loglog(hz, np.abs(found.values).ravel(), color, label=name)
    mark(axes, w / (2 * math.pi), 200e3 / (320 * w), "no force in the strut\ncan move this point", (1.2, 0.55))
    axes.set(xlabel="frequency, Hz", ylabel="body acceleration over road speed, 1/s", title="Active suspension")
    axes.grid(which="both", alpha=0.25)
    axes.legend(loc="upper left")
    return figure


def isolated_table() -> Figure:
    """From a push on the table to the floor, by springs alone and with the accelerometer."""
    hz = np.geomspace(0.2, 30, 400)
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    loops = ((0, 0, "springs alone"), (120, 0, "and -120 kg times acceleration"), (120, 800, "and a damper to the sky"))
    for ka, skyhook, name in loops:
        model = eb.load(EXAMPLES / "isolated_table.yaml", ka=ka, skyhook=skyhook)
        axes.loglog(hz, np.abs(eb.frf(model, outputs="table", frequencies_hz=hz).values).ravel(), label=name)
    axes.set(xlabel="frequency, Hz", ylabel="acceleration of the table over push, 1/kg", title="Isolated table")
    axes.grid(which="both", alpha=0.25)
    axes.legend(loc="lower right")
    return figure


def vibration_absorber(mu: float = 0.05) -> Figure:
    """Response of the machine with three dampings of the absorber."""
    w, k = np.linspace(0.6, 1.4, 1600), 1 / (1 + mu) ** 2
    best = 2 * math.sqrt(k * 3 * mu / (8 * (1 + mu)))
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    for share, name in ((0.2, "a fifth of it"), (1, "Den Hartog's damping"), (4, "four times it")):
        model = eb.load(EXAMPLES / "vibration_absorber.yaml", mu=mu, k=k, c=share * best)
        axes.plot(w, np.abs(eb.frf(model, frequencies_hz=w / (2 * math.pi)).values).ravel(), label=name)
    for side in (-1, 1):
        at = math.sqrt((1 + side * math.sqrt(mu / (2 + mu))) / (1 + mu))
        axes.plot(at, math.sqrt(1 + 2 / mu), "ko", zorder=5)
    axes.set(xlim=(0.6, 1.4), ylim=(0, 20), title="Machine with a tuned absorber: every damping passes the two points")
    axes.set(xlabel="frequency over that of the machine alone", ylabel="displacement over static displacement")
    axes.grid(alpha=0.25)
    axes.legend()
    return figure


def mark(axes: plt.Axes, x: float, y: float, text: str, at: tuple[float, float]) -> None:
    """A point and what is to be said of it."""
    axes.plot(x, y, "o", color="tab:red", zorder=5)
    axes.annotate(text, (x, y), at, arrowprops={"arrowstyle": "-", "color": "tab:red"}, color="tab:red")


def rotor_run_up() -> Figure:
    """Waterfalls of the whole run, which takes a minute or two."""
    names = runpy.run_path(str(EXAMPLES / "rotor_run_up.py"))
    return names["waterfall"](names["run"](2500.0))


def seven_freedom_chain() -> Figure:
    """Spectra of all coordinates, with the frequencies of the linear model."""
    names = runpy.run_path(str(EXAMPLES / "seven_freedom_chain.py"))
    rest = eb.equilibrium(names["model"]()).point.coordinates()
    hz, shapes = names["spectra"](rest)
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    for f in eb.modes(names["model"](position=rest)).frequency_hz:
        axes.axvline(f, color="0.75", lw=4, zorder=0)
    for name, shape in shapes.items():
        axes.semilogy(hz, shape / shape.max(), lw=0.9, label=name)
    axes.set(xlabel="frequency, Hz", ylabel="amplitude, relative", xlim=(0.2, 1.4), ylim=(1e-3, 20))
    axes.set_title("Chain of seven freedoms: spectra of 200 s, natural frequencies in grey")
    axes.legend(ncols=4, fontsize=8, loc="upper center")
    return figure


def manipulator_reach() -> Figure:
    """The free body, and what holds it."""
    names = runpy.run_path(str(EXAMPLES / "manipulator_reach.py"))
    free, held = names["free"](), names["held"]()
    figure, axes = plt.subplots(2, 2, figsize=(8, 5.4), sharex=True, layout="constrained")
    move = np.array([names["signal"](free, name) for name in names["BODY"]]).T
    panels = (
        ("free body: displacement, mm", 1000 * move[:, :3]), ("free body: rotation, deg", np.degrees(move[:, 3:])),
        ("body held: force, N", held.holding_force[:, 0]), ("body held: moment, N m", held.holding_moment[:, 0]),
    )  # fmt: skip
    for panel, (title, values) in zip(axes.flat, panels, strict=True):
        for k, axis in enumerate("xyz"):
            panel.plot(free.t, values[:, k], label=axis)
        panel.set_title(title, fontsize=10)
        panel.grid(alpha=0.25)
    axes[0, 0].legend()
    for panel in axes[1]:
        panel.set_xlabel("time, s")
    return figure


def cut_joints() -> Figure:
    """What Eq. 4.13 makes of the loop, by the joint that is cut."""
    names = runpy.run_path(str(EXAMPLES / "cut_joints.py"))
    long = names["model"](2.0)
    cuts = [names["opened"](long, joint) for joint in "abcd"]
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    labels = [f"{joint}: {long.document['joints'][joint]['type']}" for joint in "abcd"]
    axes.bar(labels, [cut.without for cut in cuts], width=0.5, color="tab:orange", label="without the multiplier term")
    axes.axhline(cuts[0].right, color="tab:blue", label="exact, and with the term for every cut")
    axes.set(ylabel="square of the frequency, 1/s²", title="Four-bar with a rocker of 2 m, cut at one joint")
    axes.legend()
    return figure
