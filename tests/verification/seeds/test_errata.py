"""The errata of docs/theory/errata.md: the engine gives the right number where a printed formula does not."""

from __future__ import annotations

import math
from typing import Any

import pytest

import eigenbody as eb
from closed_forms import CASES
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.joints.base import POINT, JointType
from eigenbody.elements.measures.templates import Cosine
from eigenbody.elements.vocabulary import VOCABULARY

G = 9.81
DOWN = [0, 0, -G]
CLOSED = {case.name: case.document for case in CASES}


def omega(document: dict[str, Any]) -> float:
    """The largest imaginary part."""
    return float(eb.modes(eb.load(document)).eigenvalues.imag.max())


def pendulum(m: float, inertia: float, length: float) -> dict[str, Any]:
    return {
        "eigenbody": 1,
        "gravity": DOWN,
        "bodies": {"bob": {"mass": m, "inertia": [inertia] * 3, "at": [0, 0, -length]}},
        "joints": {"hinge": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    }


@pytest.mark.parametrize(
    ("case", "right", "printed"),
    [
        # along (1, -1, 0, 1/2): mass 21.25; K_l = diag(147.15, 0, 0, 98.1) gives 171.675, the loop takes off 24.525
        ("spatial four-bar, crank 4 of 2 m, pivot raised", 147.15 / 21.25, (147.15 + 98.1 / 4) / 21.25),
        ("point mass on two sliders and a distance", G / 1.0, 0.0),
        ("conical pendulum as two sliders and a distance", 8.58076219398679**2, 7.13962570915**2),
    ],
)
def test_geometric_stiffness_of_loaded_joints(case: str, right: float, printed: float) -> None:
    """Trom 1990, Sec. 4.3; the right values by differentiating the potential along the constraint manifold."""
    found = omega(CLOSED[case]) ** 2
    assert found == pytest.approx(right, rel=1e-11)
    assert abs(found - printed) > 0.1


def test_stiffness_from_accelerations() -> None:
    """Negrut & Ortiz 2006, Eq. 9."""
    m, inertia, length = 2.0, 0.5, 0.7
    linear = eb.linearize(eb.load(pendulum(m, inertia, length)))
    mass, acceleration_y = inertia + m * length**2, -m * G * length / (inertia + m * length**2)
    assert linear.M[0, 0] == pytest.approx(mass, rel=1e-13)
    assert linear.K[0, 0] == pytest.approx(-mass * acceleration_y, rel=1e-13)
    assert linear.K[0, 0] == pytest.approx(13.734, rel=1e-13)
    assert -acceleration_y / mass == pytest.approx(6.2700877, abs=1e-7)  # as printed


def test_coordinates_at_equilibrium() -> None:
    """Negrut & Ortiz 2006: at equilibrium eigenvalues do not depend on the coordinates."""
    document = pendulum(2.0, 0.5, 0.7)
    for coordinate in ("hinge", "bob.x", "bob.ry"):
        found = eb.modes(eb.load({**document, "coordinates": [coordinate]}))
        assert found.linear.coordinates == (coordinate,)
        assert found.eigenvalues.imag**2 == pytest.approx([9.27972973], rel=1e-8)


def test_compound_pendulum() -> None:
    """Jiang, Chen & Luo 2011 neglect geometric stiffness and would give 0."""
    m, inertia, length = 4.0, 1.0, 0.1
    right = math.sqrt(m * G * length / (inertia + m * length**2))
    assert right == pytest.approx(1.9424409703, rel=1e-10)
    assert omega(pendulum(m, inertia, length)) == pytest.approx(right, rel=1e-13)


@pytest.mark.parametrize(("last", "freedom"), [(Cosine("y1", "z2", "as printed"), 2), (Cosine("x1", "y2", "right"), 1)])
def test_translational_joint(last: Cosine, freedom: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trom 1990, Table 2.4 with z for the printed x: the last row as printed leaves the rotation free."""
    held = (*POINT[:2], Cosine("z1", "x2", "parallel x"), Cosine("z1", "y2", "parallel y"), last)
    joint = JointType("translational", held=held, branch=False)
    monkeypatch.setitem(JOINTS, joint.name, joint)
    monkeypatch.setitem(VOCABULARY.sections["joints"], joint.name, joint.spec())  # type: ignore[arg-type]
    body = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}
    slide = {"type": "translational", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]}
    linear = eb.linearize(eb.load({"eigenbody": 1, "bodies": {"b": body}, "joints": {"slide": slide}}))
    assert linear.dof == freedom
    assert len(linear.certificate.redundant) == freedom - 1
