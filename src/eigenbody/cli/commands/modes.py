"""`eigenbody modes`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from eigenbody.cli import options, session
from eigenbody.errors import Fault, InputError

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes
    from eigenbody.model.model import Model


def modes(
    model: options.ModelPath,
    set_: options.Set = None,
    n: Annotated[
        int | None,
        typer.Option("--n", min=1, metavar="COUNT", help="That many modes, lowest first.", show_default=False),
    ] = None,
    near: Annotated[
        float | None, typer.Option("--near", metavar="HZ", help="The modes nearest to a frequency.", show_default=False)
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(
            "--frame",
            metavar="NAME",
            help="Also in a rotating frame: one of the model's frames, or that of a spinning joint.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each mode is: label, energy shares, participation, screw axes.")
    ] = False,
    solver: options.Solver = None,
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
      states_shape (modes, states), bodies, states; with --explain the shares too.
    """
    if near is not None and not (math.isfinite(near) and near >= 0):
        raise InputError(Fault("--near", "a frequency in Hz, zero or positive, is expected."))
    from eigenbody.present import export

    ending = session.known_ending(out, export.DATA_ENDINGS, model)
    picture = session.known_ending(plot, export.PICTURE_ENDINGS, model)
    if explain and frame is not None:
        raise InputError(Fault("--explain", "one frame is explained at a time.", "Leave out --frame."))
    mechanism = session.load(model, set_)
    if frame is not None:
        _in_frames(mechanism, frame, (n, near, solver), json, out, plot, quiet, ending, picture)
        return
    with session.places_of(mechanism, solver="--solver"):
        from eigenbody.analyses.modes import modes as modes_of

        result = modes_of(mechanism, n=n, near=near, solver=solver)
    from eigenbody.present.documents import as_json, modes_document, require_finite_modes
    from eigenbody.present.tables import modes_rich, modes_text

    require_finite_modes(result)
    if explain:
        _explained(mechanism, result, json, out, plot, quiet, ending, picture)
        return
    session.warn(result.linear.point.warnings, quiet)
    if out is not None:
        session.write(out, export.modes_writer(result, ending), quiet)
    if plot is not None:
        session.write(plot, export.figure_writer(result.plot(), picture), quiet)
    if json:
        session.put(as_json(modes_document(result)))
    elif not (quiet and (out or plot)):
        session.put_table(lambda: modes_text(result), lambda: modes_rich(result))


def _explained(
    mechanism: Model, result: Modes, json: bool, out: str | None, plot: str | None, quiet: bool, ending: str,
    picture: str,
) -> None:  # fmt: skip
    """Every mode with its explanation."""
    with session.places_of(mechanism):
        found = result.explain()
    from eigenbody.present import explain, export
    from eigenbody.present.documents import as_json

    session.warn(result.linear.point.warnings, quiet)
    if out is not None:
        session.write(out, explain.explanation_writer(found, ending), quiet)
    if plot is not None:
        session.write(plot, export.figure_writer(found.plot(), picture), quiet)
    if json:
        session.put(as_json(explain.explanation_document(found)))
    elif not (quiet and (out or plot)):
        session.put_table(lambda: explain.explanation_text(found), lambda: explain.explanation_rich(found))


def _in_frames(
    mechanism: Model, frame: str, few: tuple[object, ...], json: bool, out: str | None, plot: str | None, quiet: bool,
    ending: str, picture: str,
) -> None:  # fmt: skip
    """Fixed and rotating frame side by side."""
    if any(option is not None for option in few):
        what = "all modes of both frames are compared."
        raise InputError(Fault("--frame", what, "Leave out --n, --near and --solver."))
    with session.places_of(mechanism, frame="--frame"):
        from eigenbody.analyses.frames import modes_in_frames

        found = modes_in_frames(mechanism, frame)
    from eigenbody.present import export, frames
    from eigenbody.present.documents import as_json, require_finite_modes

    for modes_there in (found.fixed, found.rotating):
        require_finite_modes(modes_there)
    session.warn(found.fixed.linear.point.warnings, quiet)
    if out is not None:
        session.write(out, frames.frames_writer(found, ending), quiet)
    if plot is not None:
        session.write(plot, export.figure_writer(found.rotating.plot(), picture), quiet)
    if json:
        session.put(as_json(frames.frames_document(found)))
    elif not (quiet and (out or plot)):
        session.put_table(lambda: frames.frames_text(found), lambda: frames.frames_rich(found))
