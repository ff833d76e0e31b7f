"""Route "symbolic": SymPy equations of motion of small models by Newton-Euler and Lagrange, linearized symbolically."""

from __future__ import annotations

from importlib.util import find_spec

from eigenbody.model.description import Description
from eigenbody.routes.base import Linear, Place, Route
from eigenbody.routes.symbolic.scope import why_not

TITLES = {
    "newton-euler": "Newton-Euler in the coordinates of the joints",
    "lagrange-1": "Lagrange's equations of the first kind, coordinates of every body",
    "lagrange-2": "Lagrange's equations of the second kind",
}


def applies(description: Description, place: Place) -> str:
    """Why the route does not apply, or ""."""
    if find_spec("sympy") is None:
        return 'SymPy is not installed (pip install "eigenbody[symbolic]")'
    return why_not(description, place)


def linearize(description: Description, place: Place) -> Linear:
    """M, D, G, C, N and the eigenvalues, by the method that fits the mechanism."""
    from eigenbody.routes.symbolic.equations import equations, fitting_method
    from eigenbody.routes.symbolic.linear import linearized

    method = fitting_method(description, place)
    eqs = equations(description, place, method)
    found = linearized(eqs, place, place.independent)
    planar = ", planar" if eqs.is_planar else ""
    return Linear(found.eigenvalues(), found.parts, (f"{TITLES[method]}{planar}.",))


def exported(description: Description, place: Place, ending: str) -> str:
    """The equations as a LaTeX document ("tex") or a Python module ("py")."""
    from eigenbody.routes.symbolic.equations import equations, fitting_method
    from eigenbody.routes.symbolic.export import latex, python

    eqs = equations(description, place, fitting_method(description, place))
    return latex(eqs, place.independent) if ending == "tex" else python(eqs, place, place.independent)


ROUTE = Route(
    "symbolic",
    "equations of motion written out by SymPy, linearized symbolically about the reference motion",
    "lecture notes on multibody vibration",
    applies,
    linearize,
)
