"""Many variants at once equal the same variants one by one: compiled systems, their mechanics, eigenvalues."""

from pathlib import Path

import numpy as np
import pytest
from flexible_rotor import ROTORS
from flexible_rotor import model as rotor_model
from scipy.optimize import brentq

import eigenbody as eb
from eigenbody.analyses.sweep.variants import linear_variants
from eigenbody.base.batched import Differ, Variants
from eigenbody.base.errors import ComputationError, EigenbodyError, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.spectrum import spectra_of, spectrum_of
from eigenbody.model.paths import locate, numeric_paths
from eigenbody.numerics.matrices.assembly import dense
from eigenbody.spatial.rotations import apply, apply_transposed
from eigenbody.system.compile import CompiledVariants, compile_system
from mechanisms import random_mechanism

EXAMPLES = Path(__file__).parents[2] / "examples"
LARGE = 30  # bodies of an example that is left to other tests

SEEDS = range(8)


def varying_paths(model):
    """Every plain number of the model's document that a variant may change."""
    for path in numeric_paths(model.document):
        if path != "eigenbody" and not path.startswith(("operating_point", "coordinates")):
            yield path


def values_near(model, path):
    value = float(locate(model._source, path)[1])
    return np.array([value, 1.001 * value, 0.999 * value]) if value else np.array([0.0, 1e-3, 2e-3])


def mechanics_of(system, dq, u, acceleration, multipliers, slip):
    state = system.reference_state().moved(system, dq).with_velocity(system, u)
    m, nq = Mechanics(system, state, acceleration), system.nq
    square = (nq, nq)
    return {
        "residual": m.residual(multipliers, slip),
        "M": dense(m.mass(), square), "C": dense(m.damping(), square),
        "K": dense(m.stiffness(multipliers, slip), square),
        "phi": m.holonomic.value, "acceleration": m.holonomic.acceleration,
        "G": dense(m.holonomic.rows(), (system.constraints.count, nq)),
        "N": dense(m.non_holonomic.rows(), (system.slips.count, nq)),
        "X": dense(m.applied.state_matrix(), (nq, len(system.states))),
        "B": dense(m.applied.input_matrix(), (nq, len(system.inputs))),
        "rates": m.applied.state_rate(), "measures": system.named.jet(m.at, state.turns).value,
    }  # fmt: skip


@pytest.mark.parametrize("step", [0.0, 1e-3j], ids=["real", "complex"])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_of_random_mechanisms(seed, step):
    rng = np.random.default_rng(seed)
    model = eb.load(random_mechanism(rng))
    checked = 0
    for path in list(varying_paths(model))[seed % 3 :: 3]:
        values = values_near(model, path) + step
        try:
            systems = [compile_system(model.with_values({path: v.item()}).description) for v in values]
        except EigenbodyError:
            continue  # the number may not be changed that way: a direction of length zero, a loop that opens
        compiled = CompiledVariants.of(model.with_values({path: Variants(values)}).description)
        together = compiled.all()
        assert together.length == compiled.one(0).length == pytest.approx(systems[0].length, rel=1e-14)
        dq, u, a = (size * rng.normal(size=together.nq) for size in (0.05, 1.0, 1.0))
        loads = rng.normal(size=together.constraints.count), rng.normal(size=together.slips.count)
        found = mechanics_of(together, dq, u, a, *loads)
        for k, system in enumerate(systems):
            alone, sliced = (mechanics_of(s, dq, u, a, *loads) for s in (system, compiled.one(k)))
            for name, expected in alone.items():
                size = np.abs(expected).max(initial=1e-300)
                batch = found[name][k] if found[name].ndim > expected.ndim else found[name]
                assert np.abs(batch - expected).max(initial=0.0) <= 1e-11 * size, (path, name)
                assert np.abs(sliced[name] - expected).max(initial=0.0) <= 1e-11 * size, (path, name)
        checked += 1
    assert checked > 5


CHAIN = {
    "eigenbody": 1,
    "parameters": {"k": 900.0, "m": 2.0, "h": 0.4, "omega": 3.0},
    "gravity": [0, 0, -9.81],
    "bodies": {
        "a": {"mass": "=m", "inertia": [0.1, 0.12, 0.08], "at": [0, 0, "=-h"]},
        "b": {"mass": 1.5, "inertia": [0.05, 0.06, 0.04], "at": [0.1, 0, "=-2.2*h"]},
    },
    "joints": {
        "top": {"type": "universal", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0],
                "axis2": [0, 1, 0]},
        "spin": {"type": "revolute", "between": ["a", "b"], "at": [0, 0, "=-2*h"], "axis": [0, 0, 1],
                 "velocity": "=omega"},
    },
    "forces": {
        "side": {"type": "spring", "between": ["ground", "a"], "at": [[1, 0, 0], [0, 0, "=-h"]], "k": "=k", "c": 4,
                 "free_length": 1.05},
    },
    "states": {"lag": {"initial": 0, "rate": "=-5*lag + 0.3*k*top.angle1'"}},
}  # fmt: skip


def eigenvalues_alone(model):
    linear = eb.linearize(model)
    values = np.linalg.eigvals(linear.A)
    return linear, values[np.lexsort((values.imag, np.round(np.abs(values), 9)))]


@pytest.mark.parametrize(
    "names", [["k", "m"], ["h"], ["omega"], ["bodies.b.mass", "joints.spin.axis[1]", "gravity[2]"]]
)
def test_variants_are_the_models_one_by_one(names):
    """Stiffness, geometry, speed, numbers by path: matrices and eigenvalues."""
    model = eb.load(CHAIN)
    rng = np.random.default_rng(1)
    start = [float(locate(model._source, name)[1]) for name in names]
    values = {name: (v or 0.1) * rng.uniform(0.9, 1.1, 7) for name, v in zip(names, start, strict=True)}
    found = eb.variants(model, values)
    assert not found.failures
    for i in range(7):
        linear, expected = eigenvalues_alone(found.variant(i))
        assert np.allclose(found.A[i], linear.A, rtol=1e-10, atol=1e-10 * np.abs(linear.A).max())
        distance = np.abs(found.eigenvalues[i][:, None] - expected)
        largest = np.abs(expected).max()
        nonzero = np.abs(found.eigenvalues[i]) > 0
        assert distance.min(axis=1)[nonzero].max() < 1e-8 * largest


def test_equilibrium_of_each_variant():
    """The operating point moves with the parameter: a pendulum held by a torsion spring, m g l sin a = k (a0 - a)."""
    model = eb.load(
        {
            "eigenbody": 1, "gravity": [0, 0, -10], "parameters": {"k": 20.0}, "operating_point": "equilibrium",
            "bodies": {"rod": {"mass": 2, "inertia": [0, 0, 0], "at": [0, 0, -0.5]}},
            "joints": {"pin": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
            "forces": {"coil": {"type": "spring", "along": "pin", "k": "=k", "free": 0.6}},
        }
    )  # fmt: skip
    found = eb.variants(model, {"k": [10.0, 20.0, 40.0]})
    for k, values in zip((10.0, 20.0, 40.0), found.eigenvalues, strict=True):
        angle = brentq(lambda a, k=k: 10 * np.sin(a) - k * (0.6 - a), 0, 0.6, xtol=1e-15)
        assert np.abs(values).max() ** 2 == pytest.approx((10 * np.cos(angle) + k) / 0.5, rel=1e-9)


def test_a_variant_that_fails_is_named_and_the_others_go_on():
    found = eb.variants(eb.load(CHAIN), {"m": [1.0, -1.0, 2.0]})
    assert list(found.failures) == [1]
    assert "negative" in found.failures[1]
    assert np.isnan(found.eigenvalues[1]).all()
    assert np.isfinite(found.eigenvalues[[0, 2]]).all()
    assert "negative" in str(found)


def test_variants_in_which_a_number_must_be_above_zero_and_is_not_fail_alone():
    """A beam's E: the other variants have the eigenvalues that they have by themselves."""
    beam = {"type": "beam", "between": ["ground", "b"], "at": [[0, 0, 0], [1, 0, 0]], "E": 1e11, "nu": 0.3}
    beam |= {"area": 1e-4, "Iy": 1e-9, "Iz": 2e-9, "J": 1e-9, "y_axis": [0, 1, 0]}
    body = {"mass": 1.0, "inertia": [1, 1, 1], "at": [1, 0, 0]}
    model = eb.load({"eigenbody": 1, "bodies": {"b": body}, "forces": {"beam": beam}})
    found = eb.variants(model, {"forces.beam.E": [1e11, -1e11]})
    assert list(found.failures) == [1]
    assert "forces.beam.E: a number above zero" in found.failures[1]
    alone = eb.variants(model, {"forces.beam.E": [1e11]})
    np.testing.assert_allclose(found.eigenvalues[0], alone.eigenvalues[0], rtol=1e-9)


def test_what_cannot_be_varied_is_refused():
    model = eb.load(CHAIN)
    with pytest.raises(InputError, match="differ in length"):
        eb.variants(model, {"k": [1, 2], "m": [1, 2, 3]})
    with pytest.raises(InputError, match="mass"):
        eb.variants(model, {"bodies.b.maas": [1, 2]})
    with pytest.raises(InputError, match="a list"):
        eb.variants(model, {"gravity": [1, 2]})
    with pytest.raises(InputError, match="finite"):
        eb.variants(model, {"k": [1, np.inf]})
    with pytest.raises(ComputationError, match="None of the 2"):
        eb.variants(model, {"m": [-1, -2]})


def test_order_of_variants_that_disagree_is_refused():
    x = Variants([1.0, -1.0, 2.0])
    assert x + 5 > 0
    assert not x - 5 > 0
    with pytest.raises(Differ) as parted:
        assert x > 0
    assert parted.value.mask.tolist() == [True, False, True]
    assert x != 0
    assert Variants([0.0, 0.0]) == 0
    assert bool(Variants([0.0, 1.0]))


def test_with_values_by_path():
    model = eb.load(CHAIN)
    changed = model.with_values({"bodies.b.at[0]": 0.2, "k": "1 kN/m", "joints.top.axis[0]": 2})
    assert changed.description.bodies.position[1, 0] == 0.2
    assert changed.parameters["k"] == 1000
    assert model.description.bodies.position[1, 0] == 0.1


@pytest.mark.parametrize("kind", ["floating", "knife", "wheel", "driven", "loop", "tree"])
@pytest.mark.parametrize("seed", range(3))
def test_judgement_of_many_is_that_of_each(kind, seed):
    """Free bodies, vehicles and turning mechanisms, most of which have zeros: eigenvalues and verdicts together and one
    by one."""
    rng = np.random.default_rng(100 + seed)
    model = eb.load(random_mechanism(rng, kind))
    path = next(p for p in varying_paths(model) if p.endswith("mass"))
    values = values_near(model, path)[0] * np.linspace(1.0, 1.2, 5)
    linears = [one for one in linear_variants(model, {path: values}) if isinstance(one, LinearModel)]
    assert len(linears) == len(values)
    found = eb.variants(model, {path: values})
    for k, (together, linear) in enumerate(zip(spectra_of(linears), linears, strict=True)):
        alone = spectrum_of(linear)
        assert together.stability == alone.stability
        assert together.zero_chains == alone.zero_chains
        size = np.abs(alone.eigenvalues).max(initial=1.0)
        np.testing.assert_allclose(together.eigenvalues, alone.eigenvalues, rtol=1e-12, atol=1e-14 * size)
        zeros = int((found.eigenvalues[k] == 0).sum())
        assert zeros == int(alone.is_rigid.sum()) or not np.any(np.abs(alone.eigenvalues) < 1e-5 * size)


def test_variants_that_leave_the_batch_are_counted():
    """One alone is no batch; three of one structure are."""
    chain = eb.load(CHAIN)
    found = eb.variants(chain, {"k": [900.0, 1000.0, 1100.0]})
    assert found.alone == ()
    single = eb.variants(chain, {"k": [900.0]})
    assert single.alone == (0,)
    assert "1 of 1 variants were found one by one" in str(single)


def test_speeds_of_a_flexible_rotor_through_one_configuration():
    """Poses, rows and factors are those of all speeds together, velocities and accelerations those of each."""
    model = rotor_model(ROTORS[3], modes=2, elements=2)
    speeds = np.linspace(0.0, 400.0, 6)
    for speed, many in zip(speeds, linear_variants(model, {"speed": speeds}), strict=True):
        alone = eb.linearize(model.with_values({"speed": float(speed)}))
        for name in ("M", "C", "K", "A"):
            found, expected = getattr(many, name), getattr(alone, name)
            assert np.abs(found - expected).max() <= 1e-13 * np.abs(expected).max(), name
        assert many.notes == alone.notes


@pytest.mark.parametrize("lead", [(7,), (2, 3)])
def test_many_vectors_for_each_matrix(lead):
    rng = np.random.default_rng(1)
    R, a = rng.normal(size=(5, 2, 3, 3)), rng.normal(size=(*lead, 5, 2, 3))
    for found, expected in ((apply(R, a), R @ a[..., None]), (apply_transposed(R, a), R.mT @ a[..., None])):
        np.testing.assert_allclose(found, expected[..., 0], rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_examples_in_a_batch_are_the_examples_one_by_one(path):
    """Near its first parameter that is not zero; what fails in a batch fails alone."""
    model = eb.load(path)
    name, value = next(((k, v) for k, v in model.parameters.items() if isinstance(v, int | float) and v), (None, 0.0))
    if name is None or len(model.description.bodies) > LARGE:
        return
    values = value * np.array([0.999, 1.001])
    for found, own in zip(linear_variants(model, {name: values}), values, strict=True):
        alone = model.with_parameters({name: float(own)})
        if not isinstance(found, LinearModel):
            with pytest.raises(EigenbodyError):
                eb.linearize(alone)
            continue
        A = eb.linearize(alone, solver="dense").A
        size = np.abs(A).max(axis=1, keepdims=True, initial=0.0)
        assert np.all(np.abs(found.A - A) <= 1e-8 * size + 1e-10 * size.max(initial=0.0))
