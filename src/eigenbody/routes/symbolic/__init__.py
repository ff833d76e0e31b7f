"""Route "symbolic": SymPy equations of motion of small models by Newton-Euler and Lagrange, linearized symbolically."""

from __future__ import annotations

from importlib.util import find_spec

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.description import Description
from eigenbody.routes.base import Linear, Place, Route, Unsupported
from eigenbody.routes.symbolic.scope import why_not

TITLES = {
    "newton-euler": "Newton-Euler in the coordinates of the joints",
    "lagrange-1": "Lagrange's equations of the first kind, coordinates of every body",
    "lagrange-2": "Lagrange's equations of the second kind",
}


def applies(description: Description, place: Place, form: str | None = None) -> str:
    """Why the route does not apply, in a form if one is chosen, or ""."""
    if find_spec("sympy") is None:
        return 'SymPy is not installed (pip install "eigenbody[symbolic]")'
    return why_not(description, place, form)


def linearize(description: Description, place: Place, form: str | None = None) -> Linear:
    """M, D, G, C, N and the eigenvalues, in the form that fits the mechanism unless one is chosen."""
    from eigenbody.routes.symbolic.equations import equations
    from eigenbody.routes.symbolic.linear import linearized

    form = checked_form(description, place, form)
    eqs = equations(description, place, form)
    found = linearized(eqs, place, place.independent)
    planar = ", planar" if eqs.is_planar else ""
    return Linear(found.eigenvalues(), found.parts, (f"{TITLES[form]}{planar}.",))


def checked_form(description: Description, place: Place, form: str | None) -> str:
    """The form that is to be used; Unsupported where it does not fit."""
    from eigenbody.routes.symbolic.equations import fitting_form

    if form is not None and form not in TITLES:
        what = f'there is no form "{form}" of the equations.'
        raise InputError(Fault("form", what, f"Choose one of: {', '.join(TITLES)}."))
    if reason := applies(description, place, form):
        raise Unsupported(reason)
    return form or fitting_form(description, place)


ROUTE = Route(
    "symbolic",
    "equations of motion written out by SymPy, linearized symbolically about the reference motion",
    "lecture notes on multibody vibration",
    applies,
    linearize,
    choices=("form",),
)
