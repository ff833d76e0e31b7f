"""Adams datasets against the same mechanisms written by hand, and against closed forms."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import eigenbody as eb

INCH, POUND, MASS = 0.0254, 4.4482216152605, 0.45359237


def read(
    tmp_path: Path, *lines: str, units: str = "FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND"
) -> eb.Model:
    path = tmp_path / "model.adm"
    path.write_text("\n".join(["a title", f"UNITS/{units}", *lines, "END"]))
    return eb.load(path)


def reuler(R: np.ndarray) -> str:
    return "REULER=" + ",".join(repr(float(a)) for a in Rotation.from_matrix(R).as_euler("ZXZ"))


def row(values: Any, factor: float = 1.0) -> str:
    return ",".join(repr(float(v) / factor) for v in values)


class Mechanism:
    """A chain of turned parts in inches and pounds, as a dataset and as a dict of a model side by side."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.lines = ["PART/1, GROUND", "ACCGRAV/IGRAV=" + repr(1.3 / INCH) + ", KGRAV=" + repr(-9.81 / INCH)]
        self.data: dict[str, Any] = {"eigenbody": 1, "gravity": [1.3, 0, -9.81]}
        for section in ("bodies", "markers", "joints", "measures", "forces"):
            self.data[section] = {}
        self.frame = {1: (np.zeros(3), np.eye(3))}
        self.number = 100

    def turned(self) -> np.ndarray:
        return Rotation.random(random_state=self.rng.integers(2**31)).as_matrix()

    def part(self, k: int) -> None:
        rng, at, R = self.rng, self.rng.uniform(-1, 1, 3), self.turned()
        self.frame[k] = at, R
        mass = rng.uniform(1, 3)
        P = rng.uniform(-0.5, 0.5, (3, 3))
        P = P @ P.T  # of x x^T dm about the centre, in the axes of the inertia marker
        J = np.trace(P) * np.eye(3) - P
        centre, axes, about = rng.uniform(-0.2, 0.2, 3), self.turned(), rng.uniform(-0.2, 0.2, 3)
        d = axes.T @ (about - centre)  # from the centre to the inertia marker, in its axes
        shifted = J + mass * (d @ d * np.eye(3) - np.outer(d, d))
        entries = [*np.diag(shifted), -shifted[0, 1], -shifted[0, 2], -shifted[1, 2]]
        self.lines += [
            f"PART/{k}, QG={row(at, INCH)}, {reuler(R)}",
            f", MASS={mass / MASS!r}, CM={k}0, IM={k}1",
            f", IP={row(entries, MASS * INCH**2)}",
            f"MARKER/{k}0, PART={k}, QP={row(centre, INCH)}",
            f"MARKER/{k}1, PART={k}, QP={row(about, INCH)}, {reuler(axes)}",
        ]
        tensor = R @ axes @ J @ axes.T @ R.T
        self.data["bodies"][f"b{k}"] = {"mass": mass, "inertia": tensor.tolist(), "at": (at + R @ centre).tolist()}

    def marker(self, k: int, r: np.ndarray, R: np.ndarray) -> tuple[int, str]:
        """A marker at a place in ground."""
        self.number += 1
        at, axes = self.frame[k]
        local = f"QP={row(axes.T @ (r - at), INCH)}, {reuler(axes.T @ R)}"
        self.lines.append(f"MARKER/{self.number}, PART={k}, {local}")
        name = f"m{self.number}"
        vector = Rotation.from_matrix(R).as_rotvec()
        turn = {"axis": vector.tolist(), "angle": float(np.linalg.norm(vector))}
        self.data["markers"][name] = {"body": "ground" if k == 1 else f"b{k}", "at": r.tolist(), "rotation": turn}
        return self.number, name

    def both(self, k: int, m: int, same: bool = True) -> tuple[int, int, list[str]]:
        """Markers I on part k and J on part m."""
        r, R = self.rng.uniform(-1, 1, 3), self.turned()
        other = (r, R) if same else (r + self.rng.uniform(0.1, 0.4, 3), self.turned())
        (i, mi), (j, mj) = self.marker(k, r, R), self.marker(m, *other)
        return i, j, [mj, mi]

    def joint(self, kind: str, own: str, k: int, m: int, **more: Any) -> tuple[int, int]:
        i, j, ends = self.both(k, m)
        extra = "".join(f", {key}={value!r}" for key, value in more.get("adams", {}).items())
        self.lines += [f"!  adams_view_name='j{k}'", f"JOINT/{k}, {kind}, I={i}, J={j}{extra}"]
        self.data["joints"][f"j{k}"] = {"type": own, "between": ends, **more.get("also", {})}
        return i, j


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_in_inches_is_the_chain_in_metres(seed: int, tmp_path: Path):
    """Every joint with markers in general position, inertias about another marker than the centre, springs with loads,
    bushings, forces of every kind: M, C and K to rounding."""
    chain = Mechanism(seed)
    rng = chain.rng
    kinds = [("SPHERICAL", "spherical", {}), ("REVOLUTE", "revolute", {}), ("TRANSLATIONAL", "prismatic", {}),
             ("CYLINDRICAL", "cylindrical", {}), ("PLANAR", "planar", {}),
             ("SCREW", "screw", {"adams": {"PITCH": 0.3 / INCH}, "also": {"pitch": 0.3 / (2 * np.pi)}})]  # fmt: skip
    ends = {}
    for k, (kind, own, more) in enumerate(kinds, 2):
        chain.part(k)
        ends[k] = chain.joint(kind, own, k, k - 1, **more)
    lines, forces, measures = chain.lines, chain.data["forces"], chain.data["measures"]
    stiff, torsional = POUND / INCH, POUND * INCH
    i, j, pair = chain.both(4, 1, same=False)
    lines.append(f"SPRINGDAMPER/1, TRANSLATION, I={i}, J={j}, K=2, C=0.1, LENGTH=7, FORCE=3")
    forces["s"] = {"type": "spring", "between": pair, "k": 2 * stiff, "c": 0.1 * stiff, "free_length": 7 * INCH,
                   "force": -3 * POUND}  # fmt: skip
    i, j = ends[3]
    lines.append(f"SPRINGDAMPER/2, ROTATION, I={i}, J={j}, KT=5, CT=0.2, ANGLE=10D, TORQUE=4")
    forces["r"] = {"type": "spring", "along": "j3", "k": 5 * torsional, "c": 0.2 * torsional,
                   "free": np.radians(10), "force": -4 * torsional}  # fmt: skip
    i, j, pair = chain.both(7, 5)
    K, KT, C, CT, F, T = rng.uniform(1, 9, (6, 3))
    lines.append(
        f"BUSHING/1, I={i}, J={j}, K={row(K)}, KT={row(KT)}, C={row(C)}, CT={row(CT)}, FORCE={row(F)}, TORQUE={row(T)}"
    )
    forces["b"] = {"type": "bushing", "between": pair, "k": [*(K * stiff), *(KT * torsional)],
                   "c": [*(C * stiff), *(CT * torsional)], "load": list(F * POUND)}  # fmt: skip
    for n, axis in enumerate("xyz"):
        along = chain_axis(chain, pair[0])[:, n].tolist()
        measures[f"b{axis}"] = {"type": "angular_velocity", "between": pair, "axis": along, "in": pair[0]}
        forces[f"b{axis}"] = {"type": "expression", "along": f"b{axis}", "value": float(T[n] * torsional)}
    i, j, pair = chain.both(6, 3, same=False)
    lines += [f"SFORCE/1, TRANSLATION, I={i}, J={j}, FUNCTION=3*DM({i},{j})**2 - 2*VR({i},{j})", ", + 5*SIN(2*TIME)"]
    measures["d"] = {"type": "distance", "between": pair}
    forces["f"] = {"type": "expression", "along": "d",
                   "value": f"={POUND}*(3*(d/{INCH})**2 - 2*d'/{INCH} + 5*sin(2*t))"}  # fmt: skip
    r, R = rng.uniform(-1, 1, 3), chain.turned()
    (i, mi), (rm, mrm) = chain.marker(7, r, R), chain.marker(4, r + 0.3, chain.turned())
    lines += ["MARKER/900, PART=2, FLOATING",
              f"GFORCE/1, I={i}, JFLOAT=900, RM={rm}, FX=3*DZ({i},{rm},{rm})\\",
              f", FY=2\\ FZ=-1.5*VY({i})\\ TX=0\\ TY=4*WX({i},{rm},{rm})\\ TZ=1\\"]  # fmt: skip
    axes = {axis: chain_axis(chain, mrm)[:, n].tolist() for n, axis in enumerate("xyz")}
    for axis in "xyz":
        measures[f"v{axis}"] = {"type": "velocity", "between": ["b2", mi], "axis": axes[axis], "in": mrm}
        measures[f"w{axis}"] = {"type": "angular_velocity", "between": ["b2", mi], "axis": axes[axis], "in": mrm}
    measures["dz"] = {"type": "displacement", "between": [mrm, mi], "axis": axes["z"], "in": mrm}
    measures["vy0"] = {"type": "velocity", "between": ["ground", mi], "axis": [0, 1, 0], "in": "ground"}
    measures["spin"] = {"type": "angular_velocity", "between": [mrm, mi], "axis": axes["x"], "in": mrm}
    for along, value in (("vx", f"={POUND}*3*dz/{INCH}"), ("vy", 2 * POUND), ("vz", f"=-1.5*{POUND}*vy0/{INCH}"),
                         ("wy", f"={torsional}*4*spin"), ("wz", torsional)):  # fmt: skip
        forces[f"g{along}"] = {"type": "expression", "along": along, "value": value}
    units = "FORCE=POUND_FORCE, MASS=POUND_MASS, LENGTH=INCH, TIME=SECOND"
    found, wanted = read(tmp_path, *lines, units=units), eb.load(chain.data)
    names = [f"j{k}" for k in (3, 4, 7)] + [f"{n}" for n in eb.linearize(wanted).coordinates if "." in n]
    one, two = (eb.linearize(model, coordinates=names) for model in (found, wanted))
    assert one.coordinates == two.coordinates
    for name in "MCK":
        a, b = getattr(one, name), getattr(two, name)
        np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(b).max())


def chain_axis(chain: Mechanism, name: str) -> np.ndarray:
    turn = chain.data["markers"][name]["rotation"]
    return Rotation.from_rotvec(turn["axis"]).as_matrix()


HINGES = (
    "PART/1, GROUND", "MARKER/1, PART=1", "MARKER/2, PART=1, QP=300,0,0", "MARKER/3, PART=1, QP=0,100,0, ZP=0,200,0",
    "PART/2, MASS=1, CM=20, IP=2E6,2E6,3E6", "MARKER/20, PART=2",
    "PART/3, MASS=1, CM=30, IP=2E6,2E6,5E6", "MARKER/30, PART=3, QP=300,0,0",
    "PART/4, MASS=7, CM=40", "MARKER/40, PART=4, QP=0,100,0, ZP=0,200,0",
    "JOINT/1, REVOLUTE, I=20, J=1", "JOINT/2, REVOLUTE, I=2, J=30", "JOINT/3, TRANSLATIONAL, I=40, J=3",
    "SPRINGDAMPER/1, ROTATION, I=20, J=1, KT=1E6",
)  # fmt: skip
MM = "FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MILLIMETER, TIME=MILLISECOND"


def test_gears_by_the_place_where_they_touch(tmp_path: Path):
    """Radii 100 and 200 mm: the second turns half as fast the other way; and its joint has I on the ground."""
    model = read(
        tmp_path, *HINGES, "MARKER/9, PART=1, QP=100,0,0, REULER=0,-90D,0", "GEAR/1, JOINTS=1,2, CV=9", units=MM
    )
    linear = eb.linearize(model, coordinates=["joint_1", "joint_3"])
    assert linear.M[0, 0] == pytest.approx(3 + 5 / 4, rel=1e-12)  # kg m^2
    assert linear.K[0, 0] == pytest.approx(1000, rel=1e-12)  # N*m/rad
    assert linear.certificate.residual < 1e-9


def test_a_coupler_ties_translation_to_rotation(tmp_path: Path):
    """50 q1 - q3 = 0: 50 mm for each radian."""
    model = read(tmp_path, *HINGES, "COUPLER/1, JOINTS=1,3, TYPE=R:T, SCALES=50,-1", units=MM)
    linear = eb.linearize(model, coordinates=["joint_1", "joint_2"])
    assert linear.M[0, 0] == pytest.approx(3 + 7 * 0.05**2, rel=1e-12)


def test_motions_variables_and_states(tmp_path: Path):
    """A driven slider, its position in a variable, a low-pass state of it that pulls the first wheel."""
    model = read(
        tmp_path, *HINGES, "MOTION/1, JOINT=3, TRANSLATION, FUNCTION=20*SIN(0.005*TIME)",
        "VARIABLE/4, FUNCTION=DY(40,3)*2", "DIFF/2, IC=1, FUNCTION=0.01*(VARVAL(4) - DIF(2))",
        "SFORCE/1, ROTATION, I=20, J=1, FUNCTION=1000*DIF(2)", units=MM,
    )  # fmt: skip
    run = eb.simulate(model, until=0.5, outputs=["joint_3", "diff_2"])
    t = np.asarray(run.t)
    np.testing.assert_allclose(run.signal("joint_3"), 0.02 * np.sin(5 * t), atol=1e-9)
    w, a = 5.0, 10.0  # x' = a (40 sin wt - x), x(0) = 1
    forced = 40 * a / (a * a + w * w) * (a * np.sin(w * t) - w * np.cos(w * t))
    wanted = forced + (1 + 40 * a * w / (a * a + w * w)) * np.exp(-a * t)
    np.testing.assert_allclose(run.signal("diff_2"), wanted, atol=1e-5)
    linear = eb.linearize(model)
    row = linear.A[list(linear.states).index("joint_1'")]
    assert row[list(linear.states).index("diff_2")] == pytest.approx(1.0 / 3, rel=1e-9)  # 1000 N*mm over 3 kg m^2


def test_hooke_and_universal_are_one_joint(tmp_path: Path):
    """The cross of a Hooke joint is x of I and y of J, of a universal joint both z."""
    found = []
    for kind, first, second in (("HOOKE", "0,0,0", "0,0,0"), ("UNIVERSAL", "90D,90D,90D", "0D,-90D,0D")):
        model = read(
            tmp_path, "PART/1, GROUND", f"MARKER/1, PART=1, QP=0,0,1, REULER={second}", "ACCGRAV/KGRAV=-9.81",
            "PART/2, MASS=2, CM=5, IP=0.1,0.2,0.3", "MARKER/5, PART=2", f"MARKER/6, PART=2, QP=0,0,1, REULER={first}",
            f"JOINT/1, {kind}, I=6, J=1",
        )  # fmt: skip
        found.append(np.sort(eb.modes(model).frequency_hz) * 2 * np.pi)
        np.testing.assert_allclose(found[-1], np.sqrt(2 * 9.81 / np.array([2.2, 2.1])), rtol=1e-12)


def test_what_is_left_out_is_said(tmp_path: Path):
    model = read(
        tmp_path, *HINGES, "SFORCE/7, ROTATION, I=20, J=1, FUNCTION=IMPACT(1,2,3,4)", "REQUEST/1, DISP", units=MM
    )
    assert any("SFORCE/7" in note and "IMPACT" in note for note in model.notes)
    assert any("REQUEST" in note for note in model.notes)
    path = tmp_path / "model.adm"
    with pytest.raises(eb.InputError, match=r"SFORCE/7 \(model.adm, line 17\)"):
        eb.load(path, strict=True)
