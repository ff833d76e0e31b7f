"""Bodies given as discs, and bodies fixed on nodes of flexible shafts."""

from typing import Any

import numpy as np
import pytest

import eigenbody as eb

STEEL = {"E": 211e9, "G": 81.2e9, "density": 7810, "diameter": 0.05}
GIVEN = {"small": {"diameter": [0.28, 0.05], "width": 0.07, "density": 7810},
         "large": {"diameter": ["350 mm", "50 mm"], "width": "70 mm", "density": 7810}}  # fmt: skip


def shaft(**discs: Any) -> eb.Model:
    """The shaft of Friswell et al. 2010, example 5.9.1, with discs on its nodes."""
    bearing = {"type": "bearing", "kxx": 1e6, "kyy": 1e6}
    return eb.Model(
        parameters={"speed": "4000 rpm"},
        flexible={"shaft": {"type": "beam", "points": [[0, 0, z] for z in (0, 0.5, 1, 1.5)], **STEEL,
                            "names": ["left", "small", "large", "right"]}},
        bodies={name: {"on": f"shaft.{name}", "disc": disc} for name, disc in discs.items()},
        joints={"spin": {"type": "free", "between": ["ground", "shaft.left"], "at": [0, 0, 0],
                         "velocity": [0, 0, 0, 0, 0, "=speed"]}},
        forces={"l": {**bearing, "between": ["ground", "shaft.left"], "at": [0, 0, 0], "kzz": 1e7},
                "r": {**bearing, "between": ["ground", "shaft.right"], "at": [0, 0, 1.5]}},
    )  # fmt: skip


def test_discs_of_the_book_on_nodes_give_the_numbers_of_the_book():
    """85.389, 87.796, 251.785, 294.713 rad/s at 4000 rpm (Friswell, Penny, Garvey & Lees 2010, example 5.9.1)."""
    found = eb.modes(shaft(**GIVEN)).eigenvalues.imag
    for book in (85.389467, 87.7958637, 251.7846041, 294.7133309):
        assert np.abs(found - book).min() < 1e-4 * book


def test_three_ways_to_give_a_disc_are_one():
    """By dimensions, by mass, Id and Ip, and as a body with a joint of one's own."""
    model = shaft(**GIVEN)
    table = model.description.bodies
    moments = {name: np.diag(table.inertia[k]).tolist() for k, name in enumerate(GIVEN)}
    plain = {name: {"mass": float(table.mass[k]), "Id": moments[name][0], "Ip": moments[name][2]}
             for k, name in enumerate(GIVEN)}  # fmt: skip
    own = shaft()
    for name, z in (("small", 0.5), ("large", 1.0)):
        across, along = plain[name]["Id"], plain[name]["Ip"]
        own = own.body(name, mass=plain[name]["mass"], inertia=[across, across, along], at=[0, 0, z])
        own = own.joint(f"press_{name}", "fixed", between=[f"shaft.{name}", name], at=[0, 0, z])
    wanted = eb.modes(own).eigenvalues
    for other in (model, shaft(**plain)):
        np.testing.assert_allclose(eb.modes(other).eigenvalues[2:9], wanted[2:9], rtol=1e-9)
    assert "small.on" not in str(eb.check(model))  # what fixes it is nobody's joint


def test_inertia_of_a_disc_about_any_axis():
    """Integrated over points of the hollow cylinder, in the axes of a turned body."""
    axis, outer, inner, width, density = np.array([1.0, 2, 2]) / 3, 0.3, 0.1, 0.2, 5000.0
    disc = {"diameter": [outer, inner], "width": width, "density": density, "axis": (3 * axis).tolist()}
    turn = {"sequence": "zxz", "angles": [0.3, 0.7, -0.2]}
    body = eb.Model().body("disc", at=[0, 0, 0], disc=disc, rotation=turn).description.bodies
    nodes, weights = np.polynomial.legendre.leggauss(6)
    r, dr = (outer + inner) / 4 + (outer - inner) / 4 * nodes, (outer - inner) / 4 * weights
    z, dz, a = width / 2 * nodes, width / 2 * weights, np.arange(8) * np.pi / 4
    R, Z, A = np.meshgrid(r, z, a, indexing="ij")
    mass = density * (R * dr[:, None, None] * dz[None, :, None] * np.pi / 4).ravel()
    first = np.cross(axis, [1, 0, 0]) / np.linalg.norm(np.cross(axis, [1, 0, 0]))
    points = np.stack([R * np.cos(A), R * np.sin(A), Z], axis=-1).reshape(-1, 3) @ [first, np.cross(axis, first), axis]
    tensor = np.einsum(
        "n,nij->ij", mass, (points**2).sum(1)[:, None, None] * np.eye(3) - points[:, :, None] * points[:, None]
    )
    assert body.mass[0] == pytest.approx(mass.sum(), rel=1e-12)
    np.testing.assert_allclose(
        body.rotation[0] @ body.inertia[0] @ body.rotation[0].T, tensor, atol=1e-12 * tensor.max()
    )


def test_sensitivity_to_a_diameter_is_that_of_differences():
    model = shaft(**GIVEN | {"small": GIVEN["small"] | {"diameter": ["=D", 0.05]}}).parameter("D", 0.28)
    found, step = eb.sensitivity(model, ["D"]).eigenvalues[0], 1e-5
    ends = [eb.modes(model.with_parameters(D=0.28 + h)).eigenvalues for h in (step, -step)]
    np.testing.assert_allclose(found[2:8].imag, ((ends[0] - ends[1]) / (2 * step))[2:8].imag, rtol=1e-5)


@pytest.mark.parametrize(
    ("disc", "words"),
    [
        ({"diameter": [0.05, 0.28], "width": 0.07, "density": 1}, r"disc\.diameter: the outer diameter is given first"),
        ({"mass": 1, "Id": 1}, '"Ip" of the disc is missing'),
        ({"diameter": 1, "width": 1}, '"density" of the disc is missing'),
        ({"mass": 1, "diameter": 2}, "mass and inertia are given together with dimensions"),
        ({"mass": 1, "Id": -1, "Ip": 1}, r"disc\.Id: Id of a disc is positive"),
        ({"mass": 1, "Id": 1, "Ip": 3}, r"disc\.Ip: Ip of a disc is at most twice its Id"),
        ({"radius": 1}, 'unknown key "radius"'),
        (3, "a map is expected here"),
    ],
)
def test_what_is_wrong_with_a_disc_is_said_by_name(disc, words):
    with pytest.raises(eb.InputError, match=words) as caught:
        shaft(small=disc).description  # noqa: B018
    assert "bodies.small" in str(caught.value)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"on": "shaft.nowhere"}, 'no node "nowhere"'),
        ({"on": "shaf.one"}, "unknown body or node"),
        ({"on": "large"}, r'the place of the body is not known\. Add "at"'),
        ({"on": "disc"}, "fixed on itself"),
        ({}, 'the required key "at" is missing'),
        ({"on": "shaft.small", "mass": 3}, "the disc has its own mass"),
    ],
)
def test_what_is_wrong_with_its_place_is_said_by_name(keys, words):
    with pytest.raises(eb.InputError, match=words):
        eb.check(shaft(large=GIVEN["large"]).body("disc", disc={"mass": 1, "Id": 1, "Ip": 1}, **keys))


def test_a_disc_on_a_beam_lies_about_its_line():
    """The rotor of the book in another direction, in a turned body, in sections and in segments: nothing is said about
    the axis of the discs."""
    wanted = np.sort(eb.modes(shaft(**GIVEN)).frequency_hz)[2:8]
    along = np.array([2.0, -1, 2]) / 3
    table = shaft(**GIVEN).description.bodies
    for options in ({}, {"sections": 3}, {"segments": 60}):
        turned = shaft(**GIVEN).document
        line = turned["flexible"]["shaft"]
        line["points"] = [(np.array(point)[2] * along).tolist() for point in line["points"]]
        line |= options
        for body in turned["bodies"].values():
            body["rotation"] = {"axis": [1, 2, 3], "angle": 0.7}
        for item in (*turned["joints"].values(), *turned["forces"].values()):
            item["at"] = (np.array(item["at"])[2] * along).tolist()
            item["axis"] = along.tolist()
        model = eb.load(turned)
        own = model.description.bodies
        for k in range(2):
            inertia = own.rotation[k] @ own.inertia[k] @ own.rotation[k].T
            Ip, Id = table.inertia[k, 2, 2], table.inertia[k, 0, 0]
            np.testing.assert_allclose(inertia, Id * np.eye(3) + (Ip - Id) * np.outer(along, along), atol=1e-14 * Ip)
        if not options:
            found = eb.modes(model)
            assert found.stability == "drifting"
            np.testing.assert_allclose(np.sort(found.frequency_hz)[2:8], wanted, rtol=1e-9)
    bent = shaft(**GIVEN | {"small": GIVEN["small"] | {"axis": [1, 0, 0]}})
    assert np.diag(bent.description.bodies.inertia[0])[0] == pytest.approx(table.inertia[0, 2, 2])  # said, and kept
