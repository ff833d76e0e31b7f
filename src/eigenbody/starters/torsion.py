"""Torsional lines: stations of inertia on one axis, shafts between them, gears to further lines.

Every station is a wheel on a revolute joint to ground, every shaft a torsion spring between two of them, every mesh a
gear coupling of two joints: the model is as long as the machine, and each line can be changed by hand.
"""

from __future__ import annotations

from typing import Any

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.text import as_yaml
from eigenbody.starters.base import Starter

NAMES = (
    "Write inertias (kg m^2) and stiffnesses (N m/rad) in turn: J k J k J; x N J begins a line that the last station"
    ' drives N times as fast, / another one at the same station: "0.5 1e5 0.2 x 2 0.1 4e4 0.3 / x 3 0.1 5e4 0.2".'
)
HEAD = """Torsional line: every station turns about z, each shaft is a spring between two stations.
A gear turns opposite to its pinion: first + ratio * second = 0. Damping of a shaft: c: [0, 0, 0, 0, 0, ...].
Joints hold the stations, so that their masses are without effect."""
STEP, APART = 0.5, 0.6  # m between stations and between lines, in the drawing


class _Reader:
    """The words of a line, one after the other."""

    def __init__(self, text: str) -> None:
        self.words = text.split()
        self.stations = 0
        self.model: dict[str, Any] = {
            "eigenbody": 1, "name": "Torsional line", "bodies": {}, "joints": {}, "forces": {}, "couplings": {},
        }  # fmt: skip
        self.mesh = ""  # station that further lines are geared to

    def read(self) -> dict[str, Any]:
        place = [0.0, 0.0]  # line and position along it
        last = self._station(place)
        while self.words:
            word = self.words.pop(0)
            if word == "/":
                if not self.mesh or not self.words or self.words.pop(0) != "x":
                    raise _refusal('"/" stands before a further "x" at the same station.')
                word, last = "x", self.mesh
            if word == "x":
                self.mesh = last
                place = [place[0] + APART, place[1]]
                last = self._geared(last, place)
            else:
                place[1] += STEP
                last = self._shaft(last, _number(word, "stiffness"), place)
        return {key: value for key, value in self.model.items() if value != {}}

    def _next(self, what: str) -> float:
        if not self.words:
            raise _refusal(f"the {what} at the end is missing.")
        return _number(self.words.pop(0), what)

    def _station(self, place: list[float]) -> str:
        inertia = self._next("inertia")
        self.stations += 1
        name, joint = f"station{self.stations}", f"turn{self.stations}"
        at = [round(place[0], 6), 0, round(place[1], 6)]
        self.model["bodies"][name] = {"disc": {"mass": 1, "Id": inertia / 2, "Ip": inertia}, "at": at}
        self.model["joints"][joint] = {"type": "revolute", "between": ["ground", name], "at": at, "axis": [0, 0, 1]}
        return name

    def _shaft(self, before: str, stiffness: float, place: list[float]) -> str:
        name = self._station(place)
        self.model["forces"][f"shaft{len(self.model['forces']) + 1}"] = {
            "type": "bushing", "between": [before, name], "at": self.model["bodies"][name]["at"], "axis": [0, 0, 1],
            "k": [0, 0, 0, 0, 0, stiffness],
        }  # fmt: skip
        return name

    def _geared(self, pinion: str, place: list[float]) -> str:
        times = self._next("ratio of the gear")
        wheel = self._station(place)
        joints = [f"turn{station.removeprefix('station')}" for station in (pinion, wheel)]
        name = f"gear{len(self.model['couplings']) + 1}"
        self.model["couplings"][name] = {"type": "gear", "joints": joints, "ratio": 1 / times}
        return wheel


def _number(word: str, what: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise _refusal(f'"{word}" is no {what}: a positive number is expected.')
    return value


def _refusal(what: str) -> InputError:
    return InputError(Fault("name", what, NAMES))


def torsion(text: str) -> dict[str, Any]:
    """The model of a torsional line, as a document that `eigenbody.load` takes."""
    return _Reader(text).read()


def _text(name: str | None) -> str:
    return as_yaml(torsion(name or ""), HEAD)


TORSION = Starter("Torsional line with gears", NAMES, _text)
