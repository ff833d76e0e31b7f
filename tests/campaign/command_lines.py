"""Random sensible options for every command, from the names of the sound document."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

SHORT = ("check", "modes", "linearize", "equilibrium", "impulse", "inverse", "frf", "response", "simulate", "psd")
LONG = ("campbell", "sensitivity", "verify", "tolerance", "optimize", "report")
COORDINATES = {
    "cylindrical": ["displacement", "angle"],
    "universal": ["angle1", "angle2"],
    "spherical": ["rx", "ry", "rz"],
    "planar": ["x", "y", "angle"],
    "free": ["x", "y", "z", "rx", "ry", "rz"],
}


class Names:
    """Names of a sound document that options can refer to."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.bodies = list(document.get("bodies", {})) or ["ground"]
        self.parameters = list(document.get("parameters", {}))
        self.joints = list(document.get("joints", {})) or ["none"]
        self.inputs = list(document.get("inputs", {}))
        self.outputs = list(document.get("outputs", {}))
        self.measures = [
            name if entry.get("type") not in COORDINATES else f"{name}.{label}"
            for name, entry in document.get("joints", {}).items()
            if isinstance(entry, dict)
            for label in COORDINATES.get(entry.get("type", ""), [""])
        ] or ["none"]
        self.numbers = [f"bodies.{name}.mass" for name in self.bodies]
        self.bends = bool(document.get("flexible"))

    def until(self, seconds: float) -> str:
        """The end of a motion: sooner where bodies bend, whose shortest periods, of microseconds, are followed."""
        return f"{seconds / 50 if self.bends else seconds:g}"

    def parameter(self, rng: random.Random) -> str:
        return rng.choice([*self.parameters, *self.parameters, *self.numbers])

    def push(self, rng: random.Random) -> str:
        return rng.choice([*self.inputs, *self.inputs, *self.measures])

    def output(self, rng: random.Random) -> str:
        return rng.choice([*self.outputs, *self.measures, *(m + "''" for m in self.measures)])


def command_line(document: dict[str, Any], rng: random.Random, folder: Path) -> list[str]:
    """A command with options, without the model; now and then with an absurd parameter or a file to write."""
    command = rng.choice([*SHORT, *SHORT, *SHORT, *LONG])
    names, options = Names(document), sensible_options(command, document, rng, folder)
    if command != "report" and rng.random() < 0.5:
        options.append("--json")
    if names.parameters and rng.random() < 0.15:
        value = rng.choice(["0", "-1", "1e308", "1e-300", "nan", "2 m", "=1/0", "", "1e9", "-0"])
        options += ["--set", f"{rng.choice(names.parameters)}={value}"]
    if command != "report" and rng.random() < 0.1:
        options += ["-o", str(folder / f"out.{rng.choice(['csv', 'json', 'npz', 'mat', 'txt'])}")]
    if rng.random() < 0.05:
        options.append("--quiet")
    return [command, *options]


def sensible_options(command: str, document: dict[str, Any], rng: random.Random, folder: Path) -> list[str]:
    """Options with which the command has something to do on most models."""
    return OPTIONS[command](Names(document), rng, folder)


def _modes(names: Names, rng: random.Random, _: Path) -> list[str]:
    return rng.choice(
        [
            [],
            [],
            ["--n", "3"],
            ["--near", "1", "--n", "2"],
            ["--explain"],
            ["--frame", rng.choice(names.joints)],
            ["--solver", "sparse", "--n", "3"],
        ]
    )


def _linearize(names: Names, rng: random.Random, _: Path) -> list[str]:
    routes = ["relative", "kane", "topology", "difference"]
    some = ",".join(rng.sample(names.measures, 1))
    return rng.choice([[], ["--method", rng.choice(routes)], ["--coordinates", some], ["--solver", "sparse"]])


def _check(*_: Any) -> list[str]:
    return []


def _equilibrium(_: Names, rng: random.Random, __: Path) -> list[str]:
    return rng.choice([[], ["--nearest"], ["--all-from", "2"]])


def _inverse(names: Names, rng: random.Random, _: Path) -> list[str]:
    more = rng.choice(
        [[], ["--hold", rng.choice(names.bodies)], ["--motion", f"{rng.choice(names.measures)}=cycloid(0, 0.1, 0.1 s)"]]
    )
    return ["--until", names.until(0.1), "--points", "5", *more]


def _impulse(names: Names, rng: random.Random, _: Path) -> list[str]:
    struck = ["--at", rng.choice(names.bodies), "--impulse", "1,0,2"]
    return rng.choice([struck, [*struck, "--angles", "123"], ["--along", f"{rng.choice(names.measures)}=0.5"]])


def _simulate(names: Names, rng: random.Random, _: Path) -> list[str]:
    method = rng.choice(
        [[], ["--method", "radau"], ["--method", "generalized-alpha"], ["--method", "hht", "--step", "0.01"]]
    )
    signal = rng.choice([[], ["--signal", names.output(rng)], ["--fft", rng.choice(names.measures)], ["--at-point"]])
    return ["--until", names.until(0.03), "--points", "5", *method, *signal, "--no-compiled"]


def _response(names: Names, rng: random.Random, _: Path) -> list[str]:
    kind = rng.choice(
        [
            ["--step", names.push(rng)],
            ["--impulse", f"{names.push(rng)}=2"],
            ["--harmonic", f"{names.push(rng)}=0.4", *rng.choice([[], ["--stationary"]])],
            ["--free", "--initial", f"{rng.choice(names.measures)}=0.1"],
        ]
    )
    method = rng.choice([[], [], ["--method", "modal"], ["--method", "trapezoid"]])
    return [*kind, "--until", "1", "--points", "7", "--output", names.output(rng), *method]


def _psd(names: Names, rng: random.Random, _: Path) -> list[str]:
    into = rng.choice([["--white", "1"], ["--road", "B", "--speed", "20"]])
    return [
        "--input",
        names.push(rng),
        "--output",
        names.output(rng),
        *into,
        *rng.choice([[], ["--to", "20"], ["--weighting", "Wk"]]),
    ]


def _frf(names: Names, rng: random.Random, _: Path) -> list[str]:
    grid = rng.choice(
        [
            ["--from", "0.1", "--to", "20", "--points", "9"],
            ["--at", "1"],
            ["--points", "20", "--method", "modal"],
            ["--no-refine"],
        ]
    )
    return ["--input", names.push(rng), "--output", names.output(rng), *grid]


def _campbell(names: Names, rng: random.Random, _: Path) -> list[str]:
    span = rng.choice(
        [
            ["--from", "0", "--to", "10"],
            ["--values", "1,2,5"],
            ["--from", "1", "--to", "1"],
            ["--from", "-1", "--to", "1e6"],
        ]
    )
    more = rng.choice([[], [], ["--n", "3"], ["--order", "2"], ["--frame", rng.choice(names.joints)]])
    return ["-p", names.parameter(rng), *span, "--points", "4", *more]


def _sensitivity(names: Names, rng: random.Random, _: Path) -> list[str]:
    return rng.choice(
        [
            ["-p", names.parameter(rng)],
            ["-p", rng.choice(names.numbers), "--n", "2"],
            ["-p", f"joints.{rng.choice(names.joints)}.at[0]"],
        ]
    )


def _tolerance(names: Names, rng: random.Random, _: Path) -> list[str]:
    vary = ["--vary", f"{names.parameter(rng)}={rng.choice(['5%', '0.1', '0', '1e9'])}"]
    return [*vary, *rng.choice([[], ["--samples", "4"]])]


def _optimize(names: Names, rng: random.Random, folder: Path) -> list[str]:
    problem = folder / "problem.yaml"
    name = names.parameter(rng)
    goal = rng.choice(
        [
            "maximize: {frequency: {mode: 1}}",
            "minimize: {mass: {}}",
            "minimize: {real_part: {mode: all}}",
            "minimize: {parameter: K}",
        ]
    ).replace("K", name)
    ends = rng.choice(["from: 0.5, to: 2", "from: 1, to: 1", "from: 2, to: 1", "from: 0, to: 1e300, scale: log"])
    bound = rng.choice(["[]", "[{frequency: {mode: 1}, min: 1}]", "[{frequencies_outside: [9, 11]}]"])
    problem.write_text(
        f"variables: {{{name}: {{{ends}}}}}\nobjective: {{{goal}}}\nconstraints: {bound}\n", encoding="utf-8"
    )
    return [str(problem)]


def _verify(_: Names, rng: random.Random, __: Path) -> list[str]:
    return ["--route", rng.choice(["relative", "kane", "topology", "difference"])]


def _report(_: Names, rng: random.Random, folder: Path) -> list[str]:
    return [
        "-o",
        str(folder / "page.html"),
        "--n",
        "4",
        *rng.choice([[], ["--simulate", "0.02"], ["--response", "0.1"]]),
    ]


OPTIONS = {
    "check": _check, "modes": _modes, "linearize": _linearize, "equilibrium": _equilibrium, "impulse": _impulse,
    "inverse": _inverse, "frf": _frf, "response": _response, "simulate": _simulate, "psd": _psd, "campbell": _campbell,
    "sensitivity": _sensitivity, "verify": _verify, "tolerance": _tolerance, "optimize": _optimize, "report": _report,
}  # fmt: skip
