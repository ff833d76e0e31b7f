"""Every measure of every registry obeys the same laws, on random carriers: derivatives are what they say they are.

A measure is `value`; `rate` and `acceleration` are its time derivatives along any smooth motion; `gradient`, `rate_q`,
`acceleration_q`, `acceleration_u` and `curvature` are partial derivatives. Partial derivatives are checked by complex
steps, time derivatives by complex steps in t along r(t) = r0 + v t + a t^2/2, R(t) = R0 exp(w t + alpha t^2/2), whose
angular velocity in its own axes is w + alpha t + O(t^2).
"""

from dataclasses import fields, replace

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.elements.forces import FORCES
from eigenbody.elements.joints import JOINTS, Tie
from eigenbody.elements.joints.rolling import ROLLING
from eigenbody.elements.measures.angles import SEQUENCES, angle_kernels
from eigenbody.elements.measures.combined import Combined
from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.loads import LoadDirection
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.elements.measures.templates import Angle, Displacement, Distance, Pairs, Rotation, displacement_in
from eigenbody.elements.measures.turned import TurnedRotation
from eigenbody.elements.measures.types import MEASURES
from eigenbody.elements.measures.velocity_row import VelocityRow
from eigenbody.model.description import Surface
from eigenbody.model.expressions import parse
from eigenbody.model.vocabulary import Kind
from eigenbody.spatial.rotations import exp, from_sequence, log
from eigenbody.system.measureset import merge

STEP = 1e-30
CARRIERS, MEASURED = 5, 7
WHAT = ("value", "rate", "acceleration", "gradient", "rate_q", "acceleration_q", "acceleration_u", "curvature")


# Carriers -----------------------------------------------------------------------------------------------------------


def random_carriers(rng: np.random.Generator, lead: tuple[int, ...] = ()) -> Carriers:
    vectors = [rng.normal(size=(*lead, CARRIERS, 3)) for _ in range(5)]
    return Carriers(vectors[0], exp(rng.normal(size=(*lead, CARRIERS, 3))), *vectors[1:])


def displaced(at: Carriers, q=0.0, u=0.0, a=0.0) -> Carriers:
    """Carriers varied by q, u, a (..., carriers, 6), complex allowed."""
    q, u, a = (np.broadcast_to(x, (*at.r.shape[:-1], 6)) for x in (q, u, a))
    return Carriers(
        at.r + q[..., :3], at.R @ exp(q[..., 3:]), at.v + u[..., :3], at.w + u[..., 3:], at.a + a[..., :3],
        at.alpha + a[..., 3:],
    )  # fmt: skip


def later(at: Carriers, t: complex, jerk: np.ndarray) -> Carriers:
    """The carriers a first-order time t later on a smooth motion."""
    return Carriers(
        at.r + at.v * t, at.R @ exp(at.w * t), at.v + at.a * t, at.w + at.alpha * t,
        at.a + jerk[..., :3] * t, at.alpha + jerk[..., 3:] * t,
    )  # fmt: skip


def velocity(at: Carriers) -> np.ndarray:
    return np.concatenate((at.v, at.w), axis=-1)


def times(rows: np.ndarray, carriers: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """rows (..., n, 6K) by a direction (..., carriers, 6)."""
    own = direction[..., carriers, :]
    return (rows * own.reshape(*own.shape[:-2], -1)).sum(-1)


def bent(curvature: np.ndarray, carriers: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """curvature (..., n, 6K, 6K) by a direction."""
    own = direction[..., carriers, :]
    return (curvature * own.reshape(*own.shape[:-2], 1, -1)).sum(-1)


def close(found: np.ndarray, expected: np.ndarray) -> None:
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=0, atol=2e-11 * scale)


# Kernels ------------------------------------------------------------------------------------------------------------


def random_pairs(rng: np.random.Generator) -> Pairs:
    first = rng.integers(0, CARRIERS, MEASURED)
    second = (first + rng.integers(1, CARRIERS, MEASURED)) % CARRIERS
    origins = [rng.normal(size=(MEASURED, 3)) for _ in range(2)]
    axes = [exp(rng.normal(size=(MEASURED, 3))) for _ in range(2)]
    return Pairs(first, second, *origins, *axes, random_keys(rng))


def random_keys(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The further keys of all joint types: positive numbers, and unit directions."""
    found = {}
    for key in (key for joint in JOINTS.values() for key in joint.keys):
        found[key.name] = rng.uniform(0.2, 0.9, MEASURED)
        if key.kind is Kind.DIRECTION:
            found[key.name] = exp(rng.normal(size=(MEASURED, 3)))[..., 2]
        if key.kind is Kind.SURFACE:
            del found[key.name]  # below: what has one is of another form
    return found


def surfaced(pairs: Pairs, form: str) -> Pairs:
    """The pairs with surfaces on the second frames: balls or ellipsoids of any size, or one shared implicit surface."""
    sizes = np.random.default_rng(12).uniform(0.2, 0.9, (MEASURED, 3))
    surfaces = [Surface(form, size) for size in sizes]
    if form == "implicit":
        formula = parse("(x/0.5)**4 + (x/0.7)**2 + (y/0.4)**2 + 0.3*x*y + (z/0.8 + 0.1*x)**2 + 0.2*z**3 - 1")
        surfaces = [Surface("implicit", np.zeros(3), formula, "joints.road.surface.implicit")] * MEASURED
    return replace(pairs, keys={**pairs.keys, "surface": np.array(surfaces)})


def templates_of(items):
    """Every template among the items, once."""
    found = {}
    for item in items:
        for template in [term[0] for term in item.terms] if isinstance(item, Tie) else [item]:
            found.setdefault(repr(template), template)
    return found


TEMPLATES = templates_of(item for joint in JOINTS.values() for item in (*joint.held, *joint.free))
SLIPS = templates_of(item for joint in JOINTS.values() for item in joint.slips)


def file_measure(kind: str):
    """Kernel of a measure type of the model file, between two bodies of a small document, and of its variants."""
    from eigenbody.elements.places import Places

    fields_of = {field.name for field in MEASURES[kind].spec.fields}
    bodies = {
        f"b{i}": {"mass": 1, "inertia": [1, 1, 1], "at": [i, 0.3 * i * i, -i],
                  "rotation": {"axis": [1, i, 2], "angle": 0.3 * i}}
        for i in range(CARRIERS - 1)
    }  # fmt: skip
    plain = {"type": kind, "between": ["b0", "b1"], "at": [[0.1, 0.2, 0.3], [1.2, 0.1, -0.4]]}
    if "between" not in fields_of:
        plain = {"type": kind, "of": ["b0", "b1", "b3"], "at": [0.1, 0.2, 0.3]}
    if "axis" in fields_of:
        plain["axis"] = [1, 2, -1]
    if "axis2" in fields_of:
        plain["axis2"] = [2, 0.3, 1]
    measures = {"m0": plain}
    if "in" in fields_of:
        measures |= {f"m{k}": {**plain, "in": name} for k, name in enumerate(("b0", "b1", "b2", "ground"), 1)}
    if "between" not in fields_of:  # about a point and about the centre of mass, of some bodies and of all
        whole = {key: value for key, value in plain.items() if key not in ("of", "at")}
        measures |= {f"{name} centred": m | {"at": None} for name, m in measures.items()} | {"whole": whole}
    if "sequence" in fields_of:
        measures = {sequence: {**plain, "sequence": sequence} for sequence in SEQUENCES}
    description = eb.load({"eigenbody": 1, "bodies": bodies, "measures": measures}).description
    places = Places(description)
    return [kernel for entry in description.measures for kernel in MEASURES[kind].kernels(entry, places)]


def template_kernels(name: str):
    return [{**TEMPLATES, **SLIPS}[name].kernel(random_pairs(np.random.default_rng(3)))]


def surface_kernels(name: str, form: str):
    return [{**TEMPLATES, **SLIPS}[name].kernel(surfaced(random_pairs(np.random.default_rng(3)), form))]


def third_carrier():
    pairs = random_pairs(np.random.default_rng(5))
    third = np.array([next(c for c in range(CARRIERS) if c not in ij) for ij in pairs.carriers])
    return [displacement_in(pairs, third, np.random.default_rng(6).normal(size=(MEASURED, 3)))]


def combinations():
    """Sums of five measures and polynomials of one, of measures that share carriers and of others."""
    pairs, rng = random_pairs(np.random.default_rng(21)), np.random.default_rng(22)
    kernels = [template.kernel(pairs) for template in (Angle(), Displacement("x"), Rotation("y"), Distance())]
    singles = [kernel.take(np.array([k])) for k in range(MEASURED) for kernel in kernels]
    sums = [Combined.of([singles[i] for i in rng.choice(len(singles), 5)], rng.normal(size=(5, 2)), [-1] * 5)]
    sums += [Combined.of(singles[4 * k : 4 * k + 4], rng.normal(size=(4, 2)), [-1] * 4) for k in range(MEASURED)]
    polynomials = [Combined.of([single], rng.normal(size=(1, 5)), [-1]) for single in singles]
    mixed = [Combined.of(singles[:3], rng.normal(size=(3, 4)), [-1] * 3)]
    joined = type(sums[1]).concatenate(sums[1:3]) if sums[1].key == sums[2].key else sums[1]
    return [*sums, *polynomials, *mixed, joined]


def test_combinations_count_full_turns() -> None:
    """P(angle + 2 pi turns), whose slopes are those there."""
    at = random_carriers(np.random.default_rng(1))
    angle = Angle().kernel(random_pairs(np.random.default_rng(2))).take(np.array([0]))
    c = np.array([[0.3, -1.2, 0.7, 0.2]])
    kernel = Combined.of([angle], c, [1])
    found = kernel.jet(replace(at, turns=np.array([5.0, -2.0])))
    s = angle.jet(at).value - 4 * np.pi
    close(found.value, np.polynomial.polynomial.polyval(s, c[0]))
    slope = np.polynomial.polynomial.polyval(s, np.polynomial.polynomial.polyder(c[0]))
    u = velocity(at)
    close(times(found.gradient, kernel.carriers, u), slope * times(angle.jet(at).gradient, angle.carriers, u))


def loads():
    pairs = random_pairs(np.random.default_rng(8))
    return [
        LoadDirection(pairs.first[:, None], pairs.origin1, pairs.origin2, is_torque, in_body)
        for is_torque in (False, True)
        for in_body in (False, True)
    ]


ON_SURFACES = {
    f"{name} of the form {form}": (lambda n=name, f=form: surface_kernels(n, f))
    for name in (repr(template) for template in (*ROLLING.held, *ROLLING.slips))
    for form in ("sphere", "ellipsoid", "implicit")
}
VALUED = {
    **{name: make for name, make in ON_SURFACES.items() if name.startswith("Height")},
    **{name: (lambda n=name: template_kernels(n)) for name in TEMPLATES},
    **{
        f"measure {kind}": (lambda k=kind: file_measure(k))
        for kind, measure in MEASURES.items()
        if not measure.spec.is_speed and measure.kernel is not None
    },
    "combinations": combinations,
    "displacement in a third carrier": third_carrier,
}
SPEEDS = {f"measure {kind}": (lambda k=kind: file_measure(k)) for kind in MEASURES if MEASURES[kind].spec.is_speed}
RATED = {**VALUED, **SPEEDS, **ON_SURFACES, **{name: (lambda n=name: template_kernels(n)) for name in SLIPS}}
ALL = {**RATED, "load": loads}


def kernels_of(table):
    return pytest.mark.parametrize("make", list(table.values()), ids=list(table))


both_seeds = pytest.mark.parametrize("seed", [0, 1])


@pytest.fixture(params=[(), (2, 3)], ids=["one state", "batch"])
def state(request: pytest.FixtureRequest) -> tuple[Carriers, np.random.Generator]:
    rng = np.random.default_rng(11)
    return random_carriers(rng, request.param), rng


# Partial derivatives --------------------------------------------------------------------------------------------------


@kernels_of(VALUED)
def test_gradient_is_the_derivative_of_the_value(make, state) -> None:
    at, rng = state
    for kernel in make():
        dq = rng.normal(size=velocity(at).shape)
        moved = kernel.jet(displaced(at, q=1j * STEP * dq))
        close(times(kernel.jet(at).gradient, kernel.carriers, dq), moved.value.imag / STEP)


@kernels_of(ALL)
def test_rate_is_gradient_times_velocity(make, state) -> None:
    at, _ = state
    for kernel in make():
        jet = kernel.jet(at)
        close(jet.rate, times(jet.gradient, kernel.carriers, velocity(at)))


@kernels_of(ALL)
def test_measures_rest_with_their_carriers(make, state) -> None:
    """A set of measures says so without evaluating them."""
    at, _ = state
    still = replace(at, v=0 * at.v, w=0 * at.w, a=0 * at.a, alpha=0 * at.alpha)
    for kernel in make():
        assert not kernel.jet(still).rate.any()
        assert not kernel.jet(still).acceleration.any()
        measures = merge(
            [(kernel, np.arange(len(kernel.carriers)))], len(kernel.carriers), np.zeros((CARRIERS, 6), int)
        )
        jet = measures.jet(still, np.zeros(0))
        assert not jet.rate.any()
        assert not jet.acceleration.any()
        moving = measures.jet(at, np.zeros(0))
        assert (moving.rate == kernel.jet(at).rate).all()
        assert (moving.acceleration == kernel.jet(at).acceleration).all()


def test_a_speed_that_is_held_is_one_at_rest_too() -> None:
    """`slide' = 2` misses by -2 where nothing moves: only geometry rests with its carriers."""
    kernel = VelocityRow.of(
        parse("slide' - 2"),
        {"slide": Displacement("x").kernel(random_pairs(np.random.default_rng(0)).take(np.arange(1)))},
    )
    zero = np.zeros((CARRIERS, 3))
    still = Carriers(zero, np.tile(np.eye(3), (CARRIERS, 1, 1)), zero, zero, zero, zero)
    measures = merge([(kernel, np.arange(1))], 1, np.zeros((CARRIERS, 6), int))
    assert measures.jet(still, np.zeros(0)).rate == [-2.0]


@kernels_of(RATED)
@pytest.mark.parametrize(
    ("what", "by_q", "by_u", "by_a"),
    [("rate", "rate_q", "gradient", None), ("acceleration", "acceleration_q", "acceleration_u", "gradient")],
)
def test_partial_derivatives(make, what, by_q, by_u, by_a, state) -> None:
    at, rng = state
    for kernel in make():
        jet = kernel.jet(at)
        for name, slope in (("q", by_q), ("u", by_u), ("a", by_a)):
            change = rng.normal(size=velocity(at).shape)
            varied = getattr(kernel.jet(displaced(at, **{name: 1j * STEP * change})), what).imag / STEP
            close(times(getattr(jet, slope), kernel.carriers, change) if slope else np.zeros_like(varied), varied)


@kernels_of(ALL)
def test_curvature_is_the_derivative_of_the_gradient(make, state) -> None:
    at, rng = state
    for kernel in make():
        dq = rng.normal(size=velocity(at).shape)
        varied = kernel.jet(displaced(at, q=1j * STEP * dq)).gradient.imag / STEP
        close(bent(kernel.jet(at).curvature, kernel.carriers, dq), varied)


@kernels_of(VALUED)
def test_curvature_lacks_symmetry_by_the_moment(make, state) -> None:
    """H - H^T is the skew matrix of the moment: rotations do not commute, R exp(a) exp(b) != R exp(b) exp(a)."""
    at, rng = state
    for kernel in make():
        jet = kernel.jet(at)
        x, y = (rng.normal(size=velocity(at).shape) for _ in range(2))
        bracket = np.concatenate((np.zeros_like(x[..., :3]), np.cross(x[..., 3:], y[..., 3:])), axis=-1)
        Hx, Hy = (bent(jet.curvature, kernel.carriers, d) for d in (x, y))
        skew = times(Hx, kernel.carriers, y) - times(Hy, kernel.carriers, x)
        close(skew, times(jet.gradient, kernel.carriers, bracket))


# Time derivatives -----------------------------------------------------------------------------------------------------


@kernels_of(VALUED)
def test_rate_is_the_time_derivative_of_the_value(make, state) -> None:
    at, rng = state
    moved = later(at, 1j * STEP, rng.normal(size=velocity(at).shape))
    for kernel in make():
        close(kernel.jet(at).rate, kernel.jet(moved).value.imag / STEP)


@kernels_of(RATED)
def test_acceleration_is_the_time_derivative_of_the_rate(make, state) -> None:
    at, rng = state
    moved = later(at, 1j * STEP, rng.normal(size=velocity(at).shape))
    for kernel in make():
        close(kernel.jet(at).acceleration, kernel.jet(moved).rate.imag / STEP)


@kernels_of(VALUED)
def test_acceleration_along_a_finite_motion(make) -> None:
    """Second differences of the value along r(t), R(t): no complex arithmetic, no rates involved."""
    at = random_carriers(np.random.default_rng(2))
    h = 4e-3

    def value(kernel, t):
        path = Carriers(
            at.r + at.v * t + at.a * t**2 / 2, at.R @ exp(at.w * t + at.alpha * t**2 / 2), at.v, at.w, at.a, at.alpha
        )
        return kernel.jet(path).value

    for kernel in make():
        s = {k: value(kernel, k * h) for k in range(-3, 4)}
        second = (
            2 * (s[3] + s[-3]) - 27 * (s[2] + s[-2]) + 270 * (s[1] + s[-1]) - 490 * s[0]
        ) / (180 * h**2)  # fmt: skip
        found = kernel.jet(at).acceleration
        assert np.abs(found - second).max() <= 1e-6 * max(1.0, np.abs(second).max())


# Small rotations as variations ----------------------------------------------------------------------------------------


def rotation_kernels(seed: int) -> RotationComponent:
    pairs = random_pairs(np.random.default_rng(seed))
    e = np.eye(3)[np.random.default_rng(seed).integers(0, 3, MEASURED)]
    return RotationComponent(pairs.carriers, pairs.axes1, pairs.axes2, e)


def neighbours(at: Carriers, dq: np.ndarray, du: np.ndarray, t: complex) -> tuple[Carriers, Carriers]:
    """A motion and its neighbour (dq, du complex), both a little later."""
    jerk = np.zeros(velocity(at).shape)
    return later(at, t, jerk), later(displaced(at, q=dq, u=du), t, jerk)


def relative(kernel: RotationComponent, at: Carriers) -> np.ndarray:
    i, j = kernel.carriers.T
    return np.swapaxes(at.R[..., i, :, :] @ kernel.first, -1, -2) @ (at.R[..., j, :, :] @ kernel.second)


def component_between(kernel: RotationComponent, base: Carriers, other: Carriers) -> np.ndarray:
    """e . dphi with R_rel(other) = exp(dphi) R_rel(base)."""
    dphi = log(relative(kernel, other) @ np.swapaxes(relative(kernel, base), -1, -2))
    return (kernel.e * dphi).sum(-1)


@both_seeds
def test_small_rotation_is_a_rotation_about_the_first_axes(seed) -> None:
    """gradient: dS = e . dphi, R_rel <- exp(dphi) R_rel, for a neighbouring position."""
    rng = np.random.default_rng(seed)
    at, kernel = random_carriers(rng), rotation_kernels(seed)
    dq = rng.normal(size=velocity(at).shape)
    found = times(kernel.as_variation().jet(at).gradient, kernel.carriers, dq)
    close(found, component_between(kernel, at, displaced(at, q=1j * STEP * dq)).imag / STEP)


@both_seeds
def test_small_rotation_rates_along_two_neighbouring_motions(seed) -> None:
    """dW = d/dt dS = rate_q dq + gradient du."""
    rng = np.random.default_rng(seed)
    at, kernel = random_carriers(rng), rotation_kernels(seed)
    jet = kernel.as_variation().jet(at)
    dq, du = (rng.normal(size=velocity(at).shape) for _ in range(2))
    dS = lambda t: component_between(kernel, *neighbours(at, 1j * STEP * dq, 1j * STEP * du, t)).imag / STEP  # noqa: E731
    h = 1e-3
    expected = (8 * (dS(h) - dS(-h)) - (dS(2 * h) - dS(-2 * h))) / (12 * h)
    found = times(jet.rate_q, kernel.carriers, dq) + times(jet.gradient, kernel.carriers, du)
    assert np.abs(found - expected).max() <= 1e-10 * np.abs(expected).max()


@both_seeds
def test_small_rotation_accelerations_along_two_neighbouring_motions(seed) -> None:
    """dW' = acceleration_q dq + acceleration_u du + gradient da, the time derivative of dW along both motions."""
    rng = np.random.default_rng(seed)
    at, kernel = random_carriers(rng), rotation_kernels(seed)
    small = kernel.as_variation()
    jet = small.jet(at)
    dq, du, da = (rng.normal(size=velocity(at).shape) for _ in range(3))
    # variations along the motion: dr' = dv, dtheta' = dw - w x dtheta
    dq1 = np.concatenate((du[..., :3], du[..., 3:] - np.cross(at.w, dq[..., 3:])), axis=-1)
    ahead = small.jet(later(at, 1j * STEP, np.zeros(velocity(at).shape)))
    ddq, ddu = dq + 1j * STEP * dq1, du + 1j * STEP * da
    dW = times(ahead.rate_q, small.carriers, ddq) + times(ahead.gradient, small.carriers, ddu)
    found = (
        times(jet.acceleration_q, small.carriers, dq)
        + times(jet.acceleration_u, small.carriers, du)
        + times(jet.gradient, small.carriers, da)
    )
    close(found, dW.imag / STEP)


@both_seeds
def test_small_rotation_rate_is_the_relative_angular_velocity(seed) -> None:
    rng = np.random.default_rng(seed)
    at, kernel = random_carriers(rng), rotation_kernels(seed)
    jet = kernel.as_variation().jet(at)
    ahead = later(at, 1j * STEP, np.zeros(velocity(at).shape))
    close(jet.rate, component_between(kernel, at, ahead).imag / STEP)
    close(jet.acceleration, kernel.as_variation().jet(ahead).rate.imag / STEP)
    close(jet.rate, times(jet.gradient, kernel.carriers, velocity(at)))


# Rotations seen from a prescribed one ---------------------------------------------------------------------------------


def turned_kernel() -> TurnedRotation:
    """The last carrier is the target: it moves in time and is not varied."""
    rng = np.random.default_rng(9)
    pairs = random_pairs(rng)
    carriers = np.stack((pairs.first % 2, 2 + pairs.second % 2), axis=-1)
    e = exp(rng.normal(size=(MEASURED, 3)))[..., 0]
    return TurnedRotation(carriers, np.full(MEASURED, CARRIERS - 1), pairs.axes1, pairs.axes2, e)


def without_target(change: np.ndarray) -> np.ndarray:
    change[..., CARRIERS - 1, :] = 0
    return change


def test_turned_rotation_is_what_is_left_to_the_prescribed_one(state) -> None:
    """value = e . log(R_rel T^T), T^T the rotation of the target."""
    at, _ = state
    kernel = turned_kernel()
    left = relative(kernel, at) @ at.R[..., CARRIERS - 1, None, :, :]
    close(kernel.jet(at).value, (kernel.e * log(left)).sum(-1))


@pytest.mark.parametrize(
    ("what", "slopes"),
    [("value", ("gradient", None, None)), ("rate", ("rate_q", "gradient", None)),
     ("acceleration", ("acceleration_q", "acceleration_u", "gradient"))],
)  # fmt: skip
def test_partial_derivatives_of_a_turned_rotation(what, slopes, state) -> None:
    at, rng = state
    kernel = turned_kernel()
    for name, slope in zip("qua", slopes, strict=True):
        change = without_target(rng.normal(size=velocity(at).shape))
        varied = getattr(kernel.jet(displaced(at, **{name: 1j * STEP * change})), what).imag / STEP
        expected = times(getattr(kernel.jet(at), slope), kernel.carriers, change) if slope else np.zeros_like(varied)
        close(expected, varied)


def test_curvature_of_a_turned_rotation(state) -> None:
    at, rng = state
    kernel = turned_kernel()
    dq = without_target(rng.normal(size=velocity(at).shape))
    varied = kernel.jet(displaced(at, q=1j * STEP * dq)).gradient.imag / STEP
    close(bent(kernel.jet(at).curvature, kernel.carriers, dq), varied)


def test_time_derivatives_of_a_turned_rotation(state) -> None:
    at, rng = state
    moved, kernel = later(at, 1j * STEP, rng.normal(size=velocity(at).shape)), turned_kernel()
    close(kernel.jet(at).rate, kernel.jet(moved).value.imag / STEP)
    close(kernel.jet(at).acceleration, kernel.jet(moved).rate.imag / STEP)


# Angles of a sequence -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_of_a_sequence_are_those_of_its_three_rotations(sequence, state) -> None:
    """R_rel = R1(a) R2(b) R3(c), built up again; the middle angle within its range."""
    at, _ = state
    pairs = random_pairs(np.random.default_rng(3))
    angles = np.stack([kernel.jet(at).value for kernel in angle_kernels(pairs, sequence)], axis=-1)
    low, high = (0.0, np.pi) if sequence[0] == sequence[2] else (-np.pi / 2, np.pi / 2)
    assert ((low < angles[..., 1]) & (angles[..., 1] < high)).all()
    frames = [at.R[..., c, :, :] @ axes for c, axes in ((pairs.first, pairs.axes1), (pairs.second, pairs.axes2))]
    close(from_sequence(sequence, angles), np.swapaxes(frames[0], -1, -2) @ frames[1])


# Batches --------------------------------------------------------------------------------------------------------------


@kernels_of(ALL)
@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
def test_batch_axes_give_the_numbers_of_a_loop(make, is_complex) -> None:
    rng = np.random.default_rng(4)
    at = random_carriers(rng, (2, 3))
    if is_complex:
        at = displaced(at, *(1e-3j * rng.normal(size=velocity(at).shape) for _ in range(3)))
    for kernel in make():
        batch = kernel.jet(at)
        for index in np.ndindex(2, 3):
            one = kernel.jet(Carriers(*(getattr(at, f.name)[index] for f in fields(Carriers) if f.name != "turns")))
            for what in WHAT:
                whole = np.broadcast_to(getattr(batch, what), (2, 3, *getattr(one, what).shape))
                close(whole[index], getattr(one, what))


@kernels_of(ALL)
def test_parts_of_a_kernel_and_their_union(make) -> None:
    """`take` and `concatenate` keep every measure as it is, in order."""
    at = random_carriers(np.random.default_rng(9))
    for kernel in make():
        n = len(kernel.carriers)
        order = np.random.default_rng(1).permutation(n)
        cut = n // 2
        parts = [kernel.take(order[:cut]), kernel.take(order[cut:])] if cut else [kernel]
        joined = type(kernel).concatenate(parts)
        assert joined.key == kernel.key
        for what in WHAT:
            close(getattr(joined.jet(at), what), getattr(kernel.jet(at), what)[order])


@kernels_of(ALL)
def test_turns_tells_which_carriers_may_turn(make) -> None:
    """Where `turns` says no, turning that carrier changes nothing: point masses rely on it."""
    at = random_carriers(np.random.default_rng(10))
    for kernel in make():
        gradient = kernel.jet(at).gradient.reshape(len(kernel.carriers), -1, 6)
        assert not gradient[~kernel.turns()][:, 3:].any()


def test_registries_are_not_empty() -> None:
    """The parametrization above would pass on empty registries."""
    assert len(TEMPLATES) >= 10
    assert len(SLIPS) >= 3
    assert len(JOINTS) >= 17
    assert {"distance", "displacement", "angle"} <= set(MEASURES)
    assert {"spring", "bushing", "bearing"} <= set(FORCES)
