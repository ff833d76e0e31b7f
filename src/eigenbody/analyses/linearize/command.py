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
        options.option(
            "--form",
            "NAME",
            "First-order equations by velocities or momenta; route symbolic: newton-euler, lagrange-1 or lagrange-2.",
        ),
    ] = None,
    symbols: Annotated[
        str | None,
        options.option("--symbols", "WHICH", "Route symbolic: parameters (the model's own), or all numbers."),
    ] = None,
    code: Annotated[
        str | None,
        options.option("--code", "LANGUAGE", "Route symbolic: print the equations as latex, python, c or modelica."),
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
      eigenbody linearize car.yaml -o car.fmu
      eigenbody linearize slider.yaml --form momenta
      eigenbody linearize slider.yaml --method symbolic -o slider.tex
      eigenbody linearize slider.yaml --method symbolic --form lagrange-2 --code c
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
      names of the route's authors; see docs/verify.md. With --method symbolic also
      "form", "coordinates", "symbols": {"q", "u", "a", "multipliers"}, "parameters",
      "energies": {"kinetic", "potential"}, "held_by", "equations": {"M", "g", "d",
      "constraints", "G", "gamma"}, "linear": {"coordinates", "is_reduced", "M", "D",
      "G", "C", "N", "A"}: expressions as text; see docs/theory/symbolic.md.

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
      .nc    netCDF: the matrices over named axes (needs eigenbody[xarray])
      .fmu   functional mock-up unit, FMI 2.0 (.fmi3.fmu: FMI 3.0), for model exchange and
             co-simulation: C sources, and a library where this machine has a C compiler
      .mo    a Modelica block with named connectors
      Large models: .npz has E_row, E_column, E_value, E_shape and likewise A, B, C, D;
      .mat has them sparse; .csv only with --solver dense.
      With --method: .json; with --method symbolic also .tex (every step of the
      equations), .py (a module that needs NumPy alone), .c and .mo (Modelica).
    """
    chosen = {"reduction": reduction, "cut": cut, "step": step, "symbols": symbols, "code": code}
    choices = {name: value for name, value in chosen.items() if value is not None}
    if method == "symbolic":
        own = {} if form is None else {"form": form}
        _symbolic(model, set_, {**choices, **own}, coordinates or solver, json, out, quiet)
        return
    if method is not None:
        _by_route(model, set_, method, choices, coordinates or solver or form, json, out, quiet)
        return
    if choices:
        what = "only other routes are told such things."
        raise InputError(Fault(f"--{next(iter(choices))}", what, "Give --method relative, difference or symbolic."))
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
    _refuse(refused)
    goal = delivery.Delivery("analyses.verify.look.route", model, json, out, None, quiet, ("json",))
    mechanism = session.load(model, set_)
    from eigenbody.analyses.verify import by_route

    with session.places_of(mechanism, route="--method", **{name: f"--{name}" for name in choices}):
        result = by_route(mechanism, method, **choices)
    goal.deliver(result, result.point.warnings)


def _symbolic(
    model: str,
    set_: list[str] | None,
    choices: Mapping[str, Any],
    refused: str | None,
    json: bool,
    out: str | None,
    quiet: bool,
) -> None:
    """Equations of motion as expressions, or as text in a language."""
    _refuse(refused)
    for name in choices:
        if name not in ("form", "symbols", "code"):
            what = 'the route "symbolic" does not know it.'
            raise InputError(Fault(f"--{name}", what, "It may be told: --form, --symbols, --code."))
    language = choices.get("code")
    if language is not None and json:
        raise InputError(Fault("--code", "it prints text, --json a document.", "Give one of them."))
    goal = delivery.Delivery("analyses.symbolic.look", model, json, out, None, quiet)
    mechanism = session.load(model, set_)
    from eigenbody.analyses.symbolic import require_language
    from eigenbody.analyses.symbolic import symbolic as written_out

    with session.places_of(mechanism, form="--form", symbols="--symbols", language="--code"):
        if language is not None:
            require_language(language)
        asked = {name: choices[name] for name in ("form", "symbols") if name in choices}
        result = written_out(mechanism, **asked)
    if language is None:
        goal.deliver(result, result.point.warnings)
        return
    delivery.warn(result.point.warnings, quiet)
    goal.write(result)
    delivery.put(result.text(language).rstrip("\n"))


def _refuse(coordinates_or_solver: str | None) -> None:
    if coordinates_or_solver is not None:
        what = "a route has coordinates and a solver of its own."
        raise InputError(Fault("--method", what, "Leave out --coordinates, --solver and --form."))
