"""Finite elements of a beam against closed forms, independent solutions and rigid-body relations."""

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh, eigvalsh, expm
from scipy.optimize import brentq

from eigenbody.base.errors import InputError
from eigenbody.structures.beam import beam_mesh, beam_structure, structure_of
from eigenbody.structures.beam_load import axial_force, centrifugal_force, drawn_together
from eigenbody.structures.beam_section import BeamStations
from eigenbody.structures.rigid_elements import rigid_segments

SIDE = 0.1
STEEL = {"E": 210e9, "G": 210e9 / 2.6, "density": 7850.0}
SQUARE = {"A": SIDE**2, "Iy": SIDE**4 / 12, "Iz": SIDE**4 / 12, "J": 0.1406 * SIDE**4}
TIMOSHENKO = BeamStations(points=[[0, 0, 0], [1, 0, 0]], **STEEL, **SQUARE, ky=5 / 6, kz=5 / 6)
# E I = m = L = 1, stiff in extension, without rotary inertia
UNIT = BeamStations(
    points=[[0, 0, 0], [1, 0, 0]], E=1, G=1, A=1e4, Iy=1, Iz=10, J=1, m=1, jx=1e-3, jy=0, jz=0, y_axis=[0, 1, 0]
)
CLAMPED_FREE = (1.8751040687119611, 4.694091132974174, 7.854757438237613)  # cos b cosh b = -1
# first three rad/s of the cantilever 1 x 0.1 x 0.1 m
TIMOSHENKO_CANTILEVER = (520.8406417227, 3121.577765398, 8210.226133092)


def crooked(**changes):
    """A curved, twisted, tapered beam with every offset."""
    s = np.linspace(0, 1.2, 7)
    given = {
        "points": np.stack((np.sin(s), 1 - np.cos(s), 0.3 * s**2), axis=1),
        "y_axis": [0.1, 0.2, 1.0],
        "E": 70e9,
        "G": 27e9 * np.linspace(1, 1.1, 6),
        "A": 4e-4 * np.linspace(1, 0.5, 7),
        "Iy": 3e-8 * np.linspace(1, 0.3, 7),
        "Iz": 1e-8 * np.linspace(1, 0.2, 7),
        "J": 2e-8,
        "density": 2700.0,
        "ky": 0.8,
        "kz": np.linspace(0.7, 0.9, 7),
        "twist": np.linspace(0.3, -0.4, 7),
        "mass_offset": np.stack((np.linspace(0.01, 0.02, 7), np.full(7, -0.015)), axis=1),
        "elastic_offset": [0.02, 0.01],
        "shear_offset": [-0.01, 0.005],
    }
    return BeamStations(**(given | changes))


def frequencies(K, M, held=range(6), only=None):
    keep = [i for i in range(len(K)) if i not in held and (only is None or i % 6 in only)]
    return np.sqrt(eigvalsh(K[np.ix_(keep, keep)], M[np.ix_(keep, keep)]))


def of_nodes(stations, elements):
    """Elements with the freedoms of their nodes alone: those of end loads."""
    return beam_structure(stations, elements, inside=False)


def clamped(stations, elements, only=None):
    structure = of_nodes(stations, elements)
    return frequencies(structure.K, structure.M, only=only)


def rigid_motions(nodes):
    """(6 n, 6): unit translations and rotations about the origin."""
    out = np.zeros((len(nodes), 6, 6))
    out[:, :, :] = np.eye(6)
    for axis in range(3):
        out[:, :3, 3 + axis] = np.cross(np.eye(3)[axis], nodes)
    return out.reshape(-1, 6)


def turned_by(arm):
    """Matrix of a rotation's displacement at the end of an arm."""
    return np.cross(np.eye(3), arm).T


def order(errors):
    return np.log2(errors[:-1] / errors[1:])


def timoshenko_roots(count):
    """Frequencies of the cantilever from the transfer matrix of (v, angle, moment, shear force)."""
    E, G, rho, A, inertia, k = STEEL["E"], STEEL["G"], STEEL["density"], SQUARE["A"], SQUARE["Iy"], 5 / 6

    def free_end(w):
        w2 = w * w
        T = expm(
            np.array(
                [
                    [0, 1, 0, 1 / (k * G * A)],
                    [0, 0, 1 / (E * inertia), 0],
                    [0, -rho * inertia * w2, 0, -1],
                    [-rho * A * w2, 0, 0, 0],
                ]
            )
        )
        return np.linalg.det(T[2:, 2:])

    grid = np.linspace(100, 9000, 400)
    values = np.array([free_end(w) for w in grid])
    changes = np.flatnonzero(values[:-1] * values[1:] < 0)[:count]
    return np.array([brentq(free_end, grid[i], grid[i + 1], xtol=1e-12, rtol=1e-14) for i in changes])


class TestClosedForms:
    def test_timoshenko_reference_is_a_root_of_its_characteristic_equation(self):
        assert timoshenko_roots(3) == pytest.approx(TIMOSHENKO_CANTILEVER, rel=1e-9)

    def test_timoshenko_cantilever(self):
        w = clamped(TIMOSHENKO, 80, only=(2, 4))[:3]
        assert w == pytest.approx(TIMOSHENKO_CANTILEVER, rel=1e-4)

    def test_timoshenko_cantilever_converges_with_the_square_and_in_both_planes(self):
        w = np.array([clamped(TIMOSHENKO, n, only=(2, 4))[:3] for n in (20, 40, 80)])
        assert order(w - TIMOSHENKO_CANTILEVER) == pytest.approx(2, abs=0.1)
        assert clamped(TIMOSHENKO, 20, only=(1, 5)) == pytest.approx(clamped(TIMOSHENKO, 20, only=(2, 4)), rel=1e-9)

    def test_slender_beam_does_not_lock(self):
        thin = replace(TIMOSHENKO, Iy=SIDE * 1e-5**3 / 12, Iz=SIDE * 1e-5**3 / 12, A=SIDE * 1e-5, jy=0, jz=0, jx=1)
        beam = np.sqrt(STEEL["E"] / STEEL["density"] / 12) * 1e-5
        assert clamped(thin, 4, only=(2, 4))[0] == pytest.approx(CLAMPED_FREE[0] ** 2 * beam, rel=1e-4)

    def test_euler_bernoulli_cantilever_converges_with_the_fourth_power(self):
        exact = np.array(CLAMPED_FREE) ** 2
        for plane, scale in (((2, 4), 1), ((1, 5), np.sqrt(10))):  # Iy bends in x-z, Iz in x-y
            w = np.array([clamped(UNIT, n, only=plane)[:3] for n in (8, 16)]) / scale
            assert order(w - exact) == pytest.approx(4, abs=0.1)
            leading_error = (np.array(CLAMPED_FREE) / 16) ** 4 / 1440  # of cubic elements
            assert w[-1] == pytest.approx(exact * (1 + leading_error), rel=1e-6)

    @pytest.mark.parametrize(("freedom", "speed"), [(0, np.sqrt(STEEL["E"] / 7850)), (3, None)])
    def test_bar_has_the_frequencies_of_linear_elements(self, freedom, speed):
        speed = speed or np.sqrt(STEEL["G"] * SQUARE["J"] / (7850 * 2 * SQUARE["Iy"]))  # torsion
        n = 12
        kh = (np.arange(3) + 0.5) * np.pi / n
        expected = speed * n * np.sqrt(6 * (1 - np.cos(kh)) / (2 + np.cos(kh)))  # exact for the grid
        assert clamped(TIMOSHENKO, n, only=(freedom,))[:3] == pytest.approx(expected, rel=1e-9)
        assert expected[0] == pytest.approx(speed * np.pi / 2, rel=1e-3)

    def test_linear_taper_against_shooting(self):
        taper = np.array([1.0, 0.2])
        beam = replace(UNIT, A=taper * 1e4, Iy=taper, m=taper)

        def tip(w):  # moment and force at the free end for both free choices at the clamp
            def slope(x, y):
                v, a, M, V = y.reshape(4, 2)
                c = 1 - 0.8 * x
                return np.concatenate((a, M / c, V, w * w * c * v))

            y = solve_ivp(slope, (0, 1), [0, 0, 0, 0, 1, 0, 0, 1], rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]
            return np.linalg.det(y.reshape(4, 2)[2:])

        exact = [brentq(tip, *bracket, xtol=1e-10) for bracket in ((4, 7), (20, 30))]
        w = np.array([clamped(beam, n, only=(2, 4))[:2] for n in (8, 16, 32)])
        assert w[-1] == pytest.approx(exact, rel=1e-6)
        assert order(w - exact) == pytest.approx(4, abs=0.1)

    def test_tip_load_on_a_tapered_beam_is_exact_but_for_the_quadrature(self):
        tapered = replace(UNIT, Iy=[1.0, 0.4])
        x, w = np.polynomial.legendre.leggauss(40)
        x = (x + 1) / 2
        exact = (w / 2 * (1 - x) ** 2 / (1 - 0.6 * x)).sum()
        tip = np.array([np.linalg.inv(of_nodes(tapered, n).K[6:, 6:])[-4, -4] for n in (1, 2)])
        assert tip == pytest.approx(exact, rel=2e-5)
        assert order(np.abs(tip - exact)) > 6  # towards twice the number of Gauss points

    def test_tip_load_on_a_right_angled_frame(self):
        a, b, F = 0.7, 0.4, 1000.0
        frame = replace(TIMOSHENKO, points=[[0, 0, 0], [a, 0, 0], [a, b, 0]], y_axis=[0, 0, 1], ky=None, kz=None)
        K = of_nodes(frame, 3).K[6:, 6:]
        load = np.zeros(len(K))
        load[-4] = F
        EI, GJ = STEEL["E"] * SQUARE["Iy"], STEEL["G"] * SQUARE["J"]
        assert np.linalg.solve(K, load)[-4] == pytest.approx(F * ((a**3 + b**3) / (3 * EI) + a * b * b / GJ), rel=1e-9)

    def test_force_beside_the_shear_centre_twists(self):
        e, F = 0.03, 50.0
        K = of_nodes(replace(TIMOSHENKO, shear_offset=[e, 0.0], y_axis=[0, 1, 0]), 5).K[6:, 6:]
        load = np.zeros(len(K))
        load[-4] = F  # along z on the drawn line, e before the shear centre
        assert np.linalg.solve(K, load)[-3] == pytest.approx(-F * e / (STEEL["G"] * SQUARE["J"]), rel=1e-9)

    def test_tension_beside_the_elastic_centre_bends(self):
        y, z, F = 0.03, -0.02, 5e4
        K = of_nodes(replace(TIMOSHENKO, elastic_offset=[y, z], y_axis=[0, 1, 0]), 2).K[6:, 6:]
        load = np.zeros(len(K))
        load[-6] = F
        # the line is pulled beside the centre: it bends towards a line of pull through the centre
        assert np.linalg.solve(K, load)[-2:] == pytest.approx(
            F / (STEEL["E"] * SQUARE["Iy"]) * np.array([-z, y]), rel=1e-9
        )


def exact_timoshenko(ends, near):
    """Frequencies next to `near` of the beam 1 x 0.1 x 0.1 m, in 30 digits: (w, angle, moment, force) carried along by
    the exponential of the equations of Timoshenko, and no motion or load left that the ends forbid."""
    mp.mp.dps = 30
    EI, kGA = mp.mpf(STEEL["E"]) * SIDE**4 / 12, mp.mpf(5) / 6 * STEEL["G"] * SIDE**2
    m, j = mp.mpf(STEEL["density"]) * SIDE**2, mp.mpf(STEEL["density"]) * SIDE**4 / 12
    held = {"clamped": (0, 1), "pinned": (0, 2), "free": (2, 3)}

    def left(w):
        T = mp.expm(
            mp.matrix([[0, 1, 0, EI / kGA], [0, 0, 1, 0], [0, -j * w**2 / EI, 0, -1], [-m * w**2 / EI, 0, 0, 0]])
        )
        at, rows = [k for k in range(4) if k not in held[ends[0]]], held[ends[1]]
        return T[rows[0], at[0]] * T[rows[1], at[1]] - T[rows[0], at[1]] * T[rows[1], at[0]]

    return np.array([float(mp.findroot(left, (w, w * (1 + 1e-6)))) for w in map(float, near)])


def in_plane(stations, elements, ends):
    """Frequencies of bending in the plane x-z, ascending, without rigid motions."""
    structure = beam_structure(stations, elements)
    n, freedoms = elements + 1, {"clamped": (2, 4), "pinned": (2,), "free": ()}
    K, M = (np.asarray(part) if isinstance(part, np.ndarray) else part.toarray() for part in (structure.K, structure.M))
    held = {6 * k + i for k in range(n) for i in (0, 1, 3, 5)}
    held |= {6 * node + i for node, end in zip((0, n - 1), ends, strict=True) for i in freedoms[end]}
    keep = [i for i in range(len(K)) if i not in held]
    # states inside the elements that bend in the other plane, stretch or twist stand by themselves, fast
    M, K = M[np.ix_(keep, keep)], K[np.ix_(keep, keep)]
    shift = 1e4  # of omega^2: a free beam has rigid motions
    found = np.sqrt(np.maximum(1 / eigvalsh(M, K + shift * M)[::-1][:14] - shift, 0.0))
    return found[found > 1.0]


ENDS = [("clamped", "free"), ("free", "free"), ("clamped", "clamped"), ("pinned", "pinned"), ("clamped", "pinned")]


class TestStatesInside:
    """Elements with freedoms of their own beside those of their nodes."""

    @pytest.mark.parametrize("ends", ENDS)
    def test_fourth_mode_of_a_stocky_beam_is_right_to_a_millionth_at_twenty_elements(self, ends):
        found = in_plane(TIMOSHENKO, 20, ends)
        found = found[:4]
        exact = exact_timoshenko(ends, found)
        assert np.diff(exact).min() > 1000  # four different ones
        assert found == pytest.approx(exact, rel=2e-6)
        assert (found > exact * (1 - 1e-9)).all()  # from above

    @pytest.mark.parametrize("ends", ENDS[:2])
    def test_timoshenko_converges_with_the_sixth_power(self, ends):
        w = np.array([in_plane(TIMOSHENKO, n, ends)[:4] for n in (5, 10)])
        exact = exact_timoshenko(ends, w[1])
        assert (order(w - exact) > 5.5).all()

    @pytest.mark.parametrize(("freedom", "speed"), [(0, np.sqrt(STEEL["E"] / 7850)), (3, None)])
    def test_bars_stretch_and_twist(self, freedom, speed):
        speed = speed or np.sqrt(STEEL["G"] * SQUARE["J"] / (7850 * 2 * SQUARE["Iy"]))
        structure = beam_structure(TIMOSHENKO, 10)
        K, M = structure.K, structure.M
        held = {*range(6), *(i for i in range(66) if i % 6 != freedom)}
        keep = [i for i in range(len(K)) if i not in held]
        found = np.sqrt(1 / eigvalsh(M[np.ix_(keep, keep)], K[np.ix_(keep, keep)])[::-1][:4])
        assert found == pytest.approx((np.arange(4) + 0.5) * np.pi * speed, rel=1e-5)

    def test_euler_bernoulli_and_a_slender_beam(self):
        w = [np.sqrt(1 / _loose(replace(UNIT, Iz=1.0, J=1e3), n)[:6:2]) for n in (4, 8)]
        exact = np.array(CLAMPED_FREE) ** 2
        assert (order(np.array(w) - exact) > 5).all()
        assert w[-1] == pytest.approx(exact, rel=1e-4)
        thin = replace(TIMOSHENKO, Iy=SIDE * 1e-5**3 / 12, Iz=SIDE * 1e-5**3 / 12, A=SIDE * 1e-5, jy=0, jz=0, jx=1)
        beam = np.sqrt(STEEL["E"] / STEEL["density"] / 12) * 1e-5
        assert np.sqrt(1 / _loose(thin, 4)[0]) == pytest.approx(CLAMPED_FREE[0] ** 2 * beam, rel=1e-6)

    def test_shear_that_is_rigid_or_twists_leaves_no_state_without_energy(self):
        """A force beside the shear centre of a section rigid in shear does what a torque does."""
        beam = replace(TIMOSHENKO, ky=None, kz=[np.inf, 5 / 6], points=[[0, 0, 0], [0.5, 0, 0], [1, 0, 0]])
        for more in ({}, {"shear_offset": [0.03, 0.01]}, {"twist": 0.4}):
            structure = beam_structure(replace(beam, **more), 3)
            values = np.linalg.eigvalsh(structure.K[6:, 6:])
            assert values.min() > 1e-12 * values.max()
            assert np.isfinite(structure.M).all()

    def test_complex_step_agrees_with_differences(self):
        def lowest(value):
            stations = parameters_with("Iy", value)
            mesh = beam_structure(stations, 2)
            return mesh.K[6:, 6:], mesh.M[6:, 6:]

        K, M = lowest(1e-40j)
        inverse, V = eigh(M.real, K.real)
        V = V[:, -6:]
        slope = np.array([v @ (M.imag - s * K.imag) @ v for v, s in zip(V.T, inverse[-6:], strict=True)]) * 1e40
        h = 1e-3
        at = {k: eigvalsh(*lowest(k * h)[::-1])[-6:] for k in (-2, -1, 1, 2)}
        assert slope == pytest.approx((8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h), abs=1e-7 * inverse[-1])


def _loose(stations, elements):
    """1 / omega^2 of the clamped beam, falling."""
    structure = beam_structure(stations, elements)
    return eigvalsh(structure.M[6:, 6:], structure.K[6:, 6:])[::-1]


class TestRelations:
    def test_rigid_motions_carry_no_strain_and_the_inertia_of_the_body(self):
        stations = crooked()
        structure = of_nodes(stations, 3)
        r = rigid_motions(structure.nodes)
        assert np.abs(structure.K @ r).max() < 1e-9 * np.abs(structure.K).max()
        assert r.T @ structure.M @ r == pytest.approx(integrated_inertia(stations), rel=1e-9, abs=1e-12)

    def test_free_beam_has_six_rigid_motions_only(self):
        structure = of_nodes(crooked(), 2)
        w2 = eigvalsh(structure.K, structure.M)
        assert np.abs(w2[:6]).max() < 1e-6 * w2[6]

    def test_points_carry_the_mass_matrix(self):
        structure = of_nodes(crooked(), 2)
        p = structure.points
        move, turn = p.moved(np.eye(len(structure.M)))
        M = np.einsum("g,gia,gib->ab", p.mass, move, move) + np.einsum("gia,gij,gjb->ab", turn, p.inertia, turn)
        np.testing.assert_allclose(structure.M, M, rtol=1e-12, atol=1e-12 * np.abs(M).max())

    def test_points_move_rigidly(self):
        structure = of_nodes(crooked(), 2)
        r, p = rigid_motions(structure.nodes), structure.points
        move, turn = p.moved(r)
        assert turn == pytest.approx(np.broadcast_to(np.eye(6)[3:], (len(p.mass), 3, 6)), abs=1e-9)
        turned = np.stack([np.cross(axis, p.position) for axis in np.eye(3)], axis=2)
        assert move[..., 3:] == pytest.approx(turned, abs=1e-9)

    def test_direction_of_the_drawing_does_not_matter(self):
        rng = np.random.default_rng(3)
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        Q *= np.linalg.det(Q)
        here = crooked()
        there = replace(here, points=here.points @ Q.T + [1.0, -2.0, 3.0], y_axis=Q @ here.y_axis)
        assert clamped(there, 2)[:20] == pytest.approx(clamped(here, 2)[:20], rel=1e-7)

    def test_line_drawn_beside_the_beam_gives_the_same_free_vibration(self):
        centred = replace(TIMOSHENKO, Iz=2e-5, y_axis=[0, 1, 0])
        beside = replace(
            centred, points=[[0, -0.2, 0.3], [1, -0.2, 0.3]], mass_offset=[0.2, -0.3], elastic_offset=[0.2, -0.3]
        )
        w2 = [eigvalsh(s.K, s.M)[6:] for s in (of_nodes(centred, 5), of_nodes(beside, 5))]
        assert w2[1] == pytest.approx(w2[0], rel=1e-6)

    def test_twist_turns_the_section(self):
        turned = replace(UNIT, twist=np.pi / 2)
        assert clamped(turned, 6, only=(1, 5)) == pytest.approx(clamped(UNIT, 6, only=(2, 4)), rel=1e-8)

    def test_fast_twist_averages_the_compliance(self):
        # a moment about y bends about y by the mean of sin^2 / EIz + cos^2 / EIy
        K = of_nodes(replace(UNIT, twist=[0.0, 20 * np.pi]), 60).K[6:, 6:]
        load = np.zeros(len(K))
        load[-2] = 1.0
        assert np.linalg.solve(K, load)[-2] == pytest.approx((1 + 1 / 10) / 2, rel=1e-6)

    def test_properties_constant_in_segments_equal_stations_of_the_same_value(self):
        points = [[0, 0, 0], [0.4, 0, 0], [1, 0, 0]]
        a = of_nodes(replace(TIMOSHENKO, points=points), [2, 3])
        b = of_nodes(replace(TIMOSHENKO, points=points, A=[SIDE**2] * 2, Iy=[SQUARE["Iy"]] * 3), [2, 3])
        np.testing.assert_allclose(b.K, a.K, rtol=1e-12)
        np.testing.assert_allclose(b.M, a.M, rtol=1e-12)
        assert a.names == ("1", "1+1", "2", "2+1", "2+2", "3")
        assert a.nodes[:, 0] == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])


def integrated_inertia(stations):
    """Six by six inertia about the origin by quadrature over slices, written without the module."""
    total = np.zeros((6, 6))
    x, w = np.polynomial.legendre.leggauss(30)
    f, w = (x + 1) / 2, w / 2
    for i in range(len(stations.points) - 1):
        step = stations.points[i + 1] - stations.points[i]
        tangent = step / np.linalg.norm(step)
        y0 = np.asarray(stations.y_axis) - np.dot(stations.y_axis, tangent) * tangent
        y0 /= np.linalg.norm(y0)
        z0 = np.cross(tangent, y0)
        for fj, wj in zip(f, w, strict=True):
            area, iy, iz, angle, offset = (
                p[i] * (1 - fj) + p[i + 1] * fj
                for p in (stations.A, stations.Iy, stations.Iz, stations.twist, stations.mass_offset)
            )
            y = np.cos(angle) * y0 + np.sin(angle) * z0
            z = np.cross(tangent, y)
            R = np.stack((tangent, y, z), axis=1)
            slice_mass = stations.density * wj * np.linalg.norm(step)
            c = stations.points[i] + fj * step + offset[0] * y + offset[1] * z
            S = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
            m = slice_mass * area
            total[:3, :3] += m * np.eye(3)
            total[:3, 3:] -= m * S
            total[3:, :3] += m * S
            total[3:, 3:] += m * S @ S.T + slice_mass * R @ np.diag([iy + iz, iy, iz]) @ R.T
    return total


class TestAxialLoad:
    def test_centrifugal_force_of_both_sides_of_the_held_node(self):
        mesh = beam_mesh(replace(UNIT, m=[1.0, 3.0]), 10)
        N = centrifugal_force(mesh, [0, 0, 2], [0.4, 7, 0], 4)  # the axis need not meet the beam
        x = mesh.sections.position[..., 0]

        def pull(a, b):  # int_a^b (1 + 2 x) (x - 0.4) 4 dx
            F = [4 * (2 * s**3 / 3 + 0.1 * s**2 - 0.4 * s) for s in (a, b)]
            return F[1] - F[0]

        assert N[4:] == pytest.approx(pull(x[4:], 1.0), rel=1e-12)
        assert N[:4] == pytest.approx(-pull(0.0, x[:4]), rel=1e-12)

    def test_node_forces_and_gravity_on_a_bent_line(self):
        mesh = beam_mesh(replace(UNIT, points=[[0, 0, 0], [1, 0, 0], [1, 0, -2]]), 1)
        forces = np.zeros((3, 3))
        forces[2] = [5, 0, -7]
        pulled = axial_force(mesh, 0, forces=forces)
        assert pulled == pytest.approx(np.array([[5.0] * 6, [7.0] * 6]))
        weight = axial_force(mesh, 0, acceleration=np.array([0, 0, -10.0]))
        assert weight[0] == pytest.approx([0] * 6)
        assert weight[1] == pytest.approx(10 * (2 + mesh.sections.position[1, :, 2]))
        assert axial_force(mesh, 2, forces=np.array([[3.0, 0, 0], [0, 0, 0], [9, 9, 9]]))[0] == pytest.approx([-3] * 6)


def chain_matrices(chain):
    """Mass and stiffness of small motion of the bodies' centres, first body held."""
    n = len(chain.mass)
    M, K = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    for i in range(n):
        M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = chain.mass[i] * np.eye(3)
        M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = chain.inertia[i]
    for i in range(n - 1):
        B = np.zeros((6, 6 * n))
        for body, sign in ((i, -1), (i + 1, 1)):
            arm = chain.spring_position[i] - chain.centre[body]
            B[:, 6 * body : 6 * body + 6] = sign * np.eye(6)
            B[:3, 6 * body + 3 : 6 * body + 6] = sign * turned_by(arm)
        B = np.kron(np.eye(2), chain.spring_axes[i].T) @ B
        K += B.T @ chain.spring_stiffness[i] @ B
    return M[6:, 6:], K[6:, 6:]


class TestRigidChain:
    def test_uniform_springs(self):
        chain = rigid_segments(replace(UNIT, A=3.0, kz=2.0, ky=5.0), 5)
        h = 1 / 4
        expected = [3 / h, 1 / (h**3 / 120 + h / 15), 1 / (h**3 / 12 + h / 6), 1 / h, 1 / h, 10 / h]
        values = np.diagonal(chain.spring_stiffness, axis1=1, axis2=2)
        assert values == pytest.approx(np.tile(expected, (4, 1)), rel=1e-12)
        assert chain.spring_position[:, 0] == pytest.approx([0.125, 0.375, 0.625, 0.875])
        assert chain.mass == pytest.approx([0.125, 0.25, 0.25, 0.25, 0.125])
        assert chain.spring_stiffness == pytest.approx(values[:, :, None] * np.eye(6), abs=1e-9)

    @pytest.mark.parametrize(
        ("beam", "exact"), [(UNIT, np.array(CLAMPED_FREE) ** 2), (TIMOSHENKO, TIMOSHENKO_CANTILEVER)]
    )
    def test_converges_with_the_square(self, beam, exact):
        w = []
        for n in (21, 41, 81):
            M, K = chain_matrices(rigid_segments(beam, n))
            plane = [i for i in range(len(K)) if i % 6 in (2, 4)]
            w.append(np.sqrt(eigvalsh(K[np.ix_(plane, plane)], M[np.ix_(plane, plane)]))[:3])
        assert order(np.abs(np.array(w) - exact)) == pytest.approx(2, abs=0.1)
        assert w[-1] == pytest.approx(exact, rel=2e-3)

    def test_tip_load_deflects_the_chain_as_the_beam(self):
        stations = crooked()
        chain = rigid_segments(stations, 4)
        _, K = chain_matrices(chain)
        arm = turned_by(stations.points[-1] - chain.centre[-1])
        tip = np.block([[np.eye(3), arm], [np.zeros((3, 3)), np.eye(3)]])  # motion of the tip by the last body
        compliance = tip @ np.linalg.inv(K)[-6:, -6:] @ tip.T
        expected = np.linalg.inv(of_nodes(stations, 3).K[6:, 6:])[-6:, -6:]
        assert compliance == pytest.approx(expected, rel=1e-6, abs=1e-8 * np.abs(expected).max())

    def test_bodies_hold_the_whole_mass(self):
        stations = crooked()
        chain = rigid_segments(stations, 9)
        total = np.zeros((6, 6))
        for m, c, J in zip(chain.mass, chain.centre, chain.inertia, strict=True):
            S = turned_by(c)
            total += np.block([[m * np.eye(3), m * S], [m * S.T, m * S.T @ S + J]])
        assert total == pytest.approx(integrated_inertia(stations), rel=1e-8, abs=1e-10)

    def test_curved_chain_converges_to_the_elements(self):
        stations = crooked()
        fine = clamped(stations, 12)[:6]
        w = []
        for n in (25, 49, 97):
            M, K = chain_matrices(rigid_segments(stations, n))
            w.append(np.sqrt(eigvalsh(K, M))[:6])
        error = np.abs(np.array(w) / fine - 1)
        assert (error[0] > 8 * error[2]).all()
        assert error[-1].max() < 2e-3


def parameters_with(name, value):
    if name == "tip":
        points = np.array(crooked().points, dtype=np.result_type(value, float))
        points[-1, 1] += value
        return crooked(points=points)
    base = getattr(crooked(), name)
    if name in ("E", "Iy", "density", "ky"):
        return crooked(**{name: np.asarray(base) * (1 + value)})
    return crooked(**{name: np.asarray(base) + value})


@pytest.mark.parametrize(
    "name", ["E", "Iy", "density", "ky", "twist", "mass_offset", "elastic_offset", "shear_offset", "y_axis", "tip"]
)
def test_complex_step_agrees_with_differences(name):
    def everything(value):
        stations = parameters_with(name, value)
        mesh = beam_mesh(stations, 2, inside=False)
        structure, chain = structure_of(mesh), rigid_segments(stations, 4)
        N = centrifugal_force(mesh, [1, 2, 3], [0.1, 0, 0], 3)
        p = structure.points
        return (structure.M, structure.K, drawn_together(mesh, N), structure.nodes, p.mass, p.inertia, p.position,
                p.move, p.turn, chain.mass, chain.centre, chain.inertia, chain.spring_position, chain.spring_axes,
                chain.spring_stiffness)  # fmt: skip

    h = 1e-5
    for step, *at in zip(everything(1e-40j), *(everything(k * h) for k in (-2, -1, 1, 2)), strict=True):
        expected = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * h)
        scale = np.abs(expected).max() + np.abs(at[0]).max()
        assert np.imag(step) * 1e40 == pytest.approx(expected, abs=1e-8 * scale)


def test_complex_step_of_a_cut_that_falls_on_a_station():
    def masses(value):
        return rigid_segments(
            replace(UNIT, m=[1.0, 2.0, 3.0], points=np.array([[0, 0, 0], [0.5 + value, 0, 0], [1, 0, 0]])), 2
        ).mass

    assert np.imag(masses(1e-40j)) * 1e40 == pytest.approx((masses(1e-6) - masses(-1e-6)) / 2e-6, abs=1e-8)


class TestFaults:
    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"points": [[0, 0, 0]]}, "at least two stations"),
            ({"points": [[0, 0, 0], [0, 0, 0]]}, "same place"),
            ({"E": -1.0}, "rod.E: -1 is not positive"),
            ({"A": [1.0, np.nan]}, "rod.A: a value is not finite"),
            ({"Iy": [1.0, 2.0, 3.0]}, "one for each of the 2 stations"),
            ({"density": None}, "no mass"),
            ({"jx": -1.0}, "rod.jx: -1 is negative"),
            ({"ky": [0.8, np.inf]}, "rod.ky: a value is not finite"),
            ({"y_axis": [1.0, 0, 0]}, "points along the beam"),
            ({"mass_offset": [0.0, 0.0, 0.0]}, "rod.mass_offset: the values have the shape 3"),
        ],
    )
    def test_description(self, changes, said):
        with pytest.raises(InputError, match=said):
            beam_structure(replace(TIMOSHENKO, **changes), 2, where="rod")

    def test_all_at_once(self):
        with pytest.raises(InputError) as caught:
            beam_structure(replace(TIMOSHENKO, E=0.0, J=-2.0, y_axis=[1, 0, 0]), 2)
        assert len(caught.value.faults) == 3

    @pytest.mark.parametrize("elements", [0, 2.5, [1, 1], 100_000])
    def test_elements(self, elements):
        with pytest.raises(InputError, match=r"beam\.elements"):
            beam_structure(TIMOSHENKO, elements)

    def test_names_and_nodes(self):
        with pytest.raises(InputError, match="name of its own"):
            beam_structure(TIMOSHENKO, 2, names=("a", "a"))
        with pytest.raises(InputError, match='Did you mean "root"'):
            centrifugal_force(beam_mesh(TIMOSHENKO, 2, names=("root", "tip")), [0, 0, 1], [0, 0, 0], "rot")
        with pytest.raises(InputError, match="at least 2"):
            rigid_segments(TIMOSHENKO, 1)

    def test_infinite_shear_coefficient_is_euler_bernoulli(self):
        assert (
            beam_structure(replace(TIMOSHENKO, ky=np.inf, kz=np.inf), 2).K
            == beam_structure(replace(TIMOSHENKO, ky=None, kz=None), 2).K
        ).all()
