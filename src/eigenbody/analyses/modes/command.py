"""`eigenbody modes`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes import Explanation, Modes
    from eigenbody.analyses.modes.frames import FrameModes
    from eigenbody.model.model import InertModel


def modes(
    model: options.ModelPath,
    set_: options.Set = None,
    n: Annotated[int | None, options.option("--n", "COUNT", "That many modes, lowest first.", min=1)] = None,
    near: Annotated[float | None, options.option("--near", "HZ", "The modes nearest to a frequency.")] = None,
    frame: Annotated[
        str | None,
        options.option(
            "--frame", "NAME", "Also in a rotating frame: one of the model's frames, or that of a spinning joint."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each mode is: label, energy shares, participation, screw axes.")
    ] = False,
    damping: options.Damping = None,
    route: options.Route = None,
    solver: options.Solver = None,
    bars: Annotated[
        bool,
        typer.Option("--bars", help="Draw eigenvectors over the coordinates: bars of magnitude, marks of phase."),
    ] = False,
    drawn: Annotated[
        str | None, options.option("--modes", "3,5", "Draw these modes: 3,5 or 2-6; with --explain one in detail.")
    ] = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Frequencies, damping, stability, shapes.

    All modes at the operating point, or the lowest (--n), or those near a frequency (--near, best with --n).

    \b
    Examples:
      eigenbody modes rotor.yaml
      eigenbody modes rotor.yaml --set "speed=1 Hz" --n 10 --plot rotor.png
      eigenbody modes rotor.yaml --near 50 --n 4 --json
      eigenbody modes rotor.yaml --frame spin
      eigenbody modes rotor.yaml --explain --plot bars.png
      eigenbody modes truck.yaml --bars --modes 3,5 --plot vectors.png
      eigenbody modes frame.yaml --damping modal:0.02
      eigenbody modes tree.yaml --route topology
      eigenbody modes rotor.yaml --n 6 -o rotor.glb

    \b
    JSON: {"model", "dof", "states", "stability", "solver", "coordinates",
           "modes": [{"index", "real", "imag", "frequency_hz", "damped_frequency_hz",
                      "damping_ratio", "kind", "stability", "error"}],
           "certificate": {"residual", "drift", "redundant", "tangent_error"},
           "notes", "warnings"}
      real, imag      eigenvalue in rad/s; one entry for each conjugate pair, each
                      real eigenvalue and each zero, sorted by magnitude
      frequency_hz    |eigenvalue| / 2 pi
      damping_ratio   -real / |eigenvalue|; null for rigid modes
      kind            oscillatory, real or rigid (a recognized zero)
      stability       stable, marginal, drifting (a free motion) or unstable where coefficients are
                      constant; frozen where they change along the motion, immobile without freedom
      error           bound of the eigenvalue's error (1/s)
      Constant only for one who turns with a joint: "seen_from" names it, modes are his.
      Equal blades whose patterns make the equations constant: "multiblade": {"blades",
      "joint", "rate", "bodies": [[names]]}, and each mode has "blades": {"label", "order",
      "whirl", "share"}: "forward flap", how often the pattern goes round, share of energy.
      With --frame also "frames": {"frame", "about", "at", "rate", "rotating": [modes],
      "pairs": [{"fixed", "rotating", "whirl", "likeness"}], "fixed_is_constant",
      "rotating_is_constant", "coordinates", "notes"}.
      With --explain each mode also has "label", "whirl", "kinetic_energy": {body: {"x",
      "y", "z", "rx", "ry", "rz"}}, "strain_energy": {element: share}, "dissipation":
      {element: share}, "participation": {coordinate: share}, "screw_axes": {body:
      {"motion", "point", "direction", "pitch", "wanders"}}. Shares sum to one and are
      negative for what destabilizes; {} where there is no such energy.

    \b
    Files: .csv is the table; .json the document above; .npz and .mat hold
      eigenvalues, frequency_hz, damped_frequency_hz, damping_ratio, kind, stability,
      shapes (modes, bodies, 6): displacement and small rotation in global axes,
      states_shape (modes, states), bodies, states; with --explain the shares too; .nc is
      netCDF. Without --explain and --frame also: .uff or .unv, a universal file with nodes,
      lines and modes (datasets 15, 82, 55); .glb, the mechanism with a moving picture of
      each mode (glTF); .pvd, the same as a time series for ParaView, beside a folder.
    """
    if near is not None and not (math.isfinite(near) and near >= 0):
        raise InputError(Fault("--near", "a frequency in Hz, zero or positive, is expected."))
    goal = delivery.Delivery("analyses.modes.look", model, json, out, plot, quiet)
    _checked(explain, plot, bars, drawn)
    numbers = session.numbers_in(drawn, "--modes")
    if explain and frame is not None:
        raise InputError(Fault("--explain", "one frame is explained at a time.", "Leave out --frame."))
    mechanism = session.load(model, set_)
    from eigenbody.analyses.modes.find import modes as modes_of
    from eigenbody.present.documents import require_finite_modes

    if frame is not None:
        found = _in_frames(mechanism, frame, (n, near, solver, damping, route))
        goal.deliver(found, found.fixed.linear.point.warnings, figure=lambda: _figure(found.rotating, bars, numbers))
        return
    with session.places_of(mechanism, solver="--solver", **session.CHANGED):
        result = modes_of(mechanism, n=n, near=near, solver=solver, damping=damping, route=route)
    require_finite_modes(result)
    with session.places_of(mechanism):
        wanted = result.explain() if explain else result
    goal.deliver(wanted, result.linear.point.warnings, figure=lambda: _figure(wanted, bars, numbers))


def _checked(explain: bool, plot: str | None, bars: bool, drawn: str | None) -> None:
    for option, given in (("--bars", bars), ("--modes", drawn)):
        if given and plot is None:
            raise InputError(Fault(option, "nothing is drawn.", "Give the picture's file too: --plot modes.png."))
    if bars and explain:
        what = "--explain draws the motion of the bodies, --bars that of the coordinates."
        raise InputError(Fault("--bars", what, "Ask for one of the two."))


def _figure(found: Modes | Explanation, bars: bool, numbers: list[int] | None) -> Figure:
    """The picture of the chosen modes."""
    kind: dict[str, Any] = {"kind": "bars"} if bars else {}
    try:
        return found.plot(modes=numbers, **kind)
    except InputError as error:
        places = {"modes": "--modes", "bars": "--bars"}
        faults = [replace(fault, where=places.get(fault.where, fault.where)) for fault in error.faults]
        raise InputError(faults) from error


def _in_frames(mechanism: InertModel, frame: str, few: tuple[object, ...]) -> FrameModes:
    """Fixed and rotating frame side by side."""
    if any(option is not None for option in few):
        what = "all modes of both frames are compared."
        raise InputError(Fault("--frame", what, "Leave out --n, --near, --solver, --damping and --route."))
    from eigenbody.analyses.modes.frames import modes_in_frames
    from eigenbody.present.documents import require_finite_modes

    with session.places_of(mechanism, frame="--frame"):
        found = modes_in_frames(mechanism, frame)
    for modes_there in (found.fixed, found.rotating):
        require_finite_modes(modes_there)
    return found
