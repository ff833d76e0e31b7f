"""`eigenbody linearize`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session


def linearize(
    model: options.ModelPath,
    set_: options.Set = None,
    coordinates: options.Coordinates = None,
    method: Annotated[
        str | None,
        options.option("--method", "NAME", "By another route: relative, kane, topology, difference, symbolic."),
    ] = None,
    reduction: Annotated[
        str | None,
        options.option(
            "--reduction", "NAME", "Route relative: independent coordinates, or the null space by qr, svd, lu; or none."
        ),
    ] = None,
    cut: Annotated[
        list[str] | None, options.option("--cut", "JOINT", "Route relative: open a loop at this joint; repeatable.")
    ] = None,
    step: Annotated[
        float | None, options.option("--step", "H", "Route difference: one central difference with this step, in rad.")
    ] = None,
    form: Annotated[
        str | None,
        options.option("--form", "velocities|momenta", "First-order equations by velocities, or by canonical momenta."),
    ] = None,
    solver: options.Solver = None,
    json: options.Json = False,
    out: options.Out = None,
    quiet: options.Quiet = False,
) -> None:
    """Linear equations: M, C, K and A, B, C, D.

    At the operating point, with named states, inputs and outputs.

    \b
    Examples:
      eigenbody linearize rotor.yaml
      eigenbody linearize slider.yaml --coordinates rail,hinge --json
      eigenbody linearize rotor.yaml -o rotor.mat
      eigenbody linearize slider.yaml --form momenta
      eigenbody linearize slider.yaml --method symbolic -o slider.tex
      eigenbody linearize four_bar.yaml --method relative --reduction qr --cut c

    \b
    JSON: {"model", "dof", "coordinates", "velocities", "mass", "damping", "stiffness",
           "split": {"dissipative", "gyroscopic", "conservative", "circulatory"},
           "states", "inputs", "outputs", "units", "A", "B", "C", "D",
           "certificate", "notes", "warnings"}
      split: symmetric and skew part of damping, symmetric and skew part of stiffness.
      Matrices are lists of rows. With non-holonomic constraints mass, damping and
      stiffness are null: only A, B, C, D exist. Above 2000 degrees of freedom all of
      them are null and "descriptor" has E, A, B, C, D of E z' = A z + B u,
      y = C z + D u by their entries ({"shape", "row", "column", "value"}),
      z = [states, auxiliary unknowns].
      With --form: {"model", "form", "dof", "coordinates", "velocities", "states",
      "inputs", "outputs", "A", "B", "C", "D", "hamiltonian", "certificate", "notes",
      "warnings"}, the states [S, W, x] or [S, p, x] with p = M S' + G S/2; hamiltonian is
      the relative defect of J A = (J A)^T, null where it has no meaning.
      With --method: {"model", "method", "title", "source", "is_exact", "notes",
      "matrices": {name: rows}, "eigenvalues": [{"real", "imag"}]}, the matrices by the
      names of the route's authors; see docs/verify.md.

    \b
    Files:
      .npz   A, B, C_out, D, E, M, C (damping), K, the names and their units
      .mat   A, B, C, D, E, M, Cd (damping), K, the names and their units as cell
             arrays, and the struct "descriptor" with sparse E, A, B, C, D and the
             names of its unknowns
      .csv   a block for each of mass, damping, stiffness, A, B, C, D: the first line is
             its name and the column names, each further line begins with the row name;
             a blank line between blocks
      .json  the document above
      Large models: .npz has E_row, E_column, E_value, E_shape and likewise A, B, C, D;
      .mat has them sparse; .csv only with --solver dense.
      With --method: .json; with --method symbolic also .tex (equations of motion and
      their linear form) and .py (a function that needs NumPy alone).
    """
    chosen = {"reduction": reduction, "cut": cut, "step": step}
    choices = {name: value for name, value in chosen.items() if value is not None}
    if method is not None:
        _by_route(model, set_, method, choices, coordinates or solver or form, json, out, quiet)
        return
    if choices:
        what = "only other routes are told such things."
        raise InputError(Fault(f"--{next(iter(choices))}", what, "Give --method relative or --method difference."))
    look = "linearization.look" + (".first_order" if form is not None else "")
    goal = delivery.Delivery(look, model, json, out, None, quiet)
    wanted = session.names_in(coordinates, "--coordinates")
    mechanism = session.load(model, set_)
    from eigenbody.analyses.linearize.linear import linearize as linearize_at
    from eigenbody.present.documents import require_finite_linear

    with session.places_of(mechanism, solver="--solver", coordinates="--coordinates" if wanted else ""):
        result = linearize_at(mechanism, coordinates=wanted, solver=solver)
    require_finite_linear(result)
    with session.places_of(mechanism, form="--form"):
        shown = result if form is None else result.in_first_order(form)
    goal.deliver(shown, result.point.warnings)


def _by_route(
    model: str,
    set_: list[str] | None,
    method: str,
    choices: Mapping[str, Any],
    refused: str | None,
    json: bool,
    out: str | None,
    quiet: bool,
) -> None:
    """Matrices and eigenvalues of another route."""
    if refused is not None:
        what = "a route has coordinates and a solver of its own."
        raise InputError(Fault("--method", what, "Leave out --coordinates, --solver and --form."))
    endings = ("json", "tex", "py") if method == "symbolic" else ("json",)
    goal = delivery.Delivery("analyses.verify.look.route", model, json, out, None, quiet, endings)
    mechanism = session.load(model, set_)
    from eigenbody.analyses.verify import by_route

    with session.places_of(mechanism, route="--method", **{name: f"--{name}" for name in choices}):
        result = by_route(mechanism, method, **choices)
    goal.deliver(result, result.point.warnings)
