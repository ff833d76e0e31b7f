"""Wheel and source archive: built, installed in fresh environments, tried with the commands of the README.

    ./run python scripts/packages.py                       by this Python
    ./run python scripts/packages.py 3.11 3.12 3.13        by those, where they are found; others are named
    ./run python scripts/packages.py --lowest 3.11         with the lowest dependencies that pyproject.toml allows (uv)

Prints for every environment what was tried, the seconds and the megabytes. Ends with 1 where something did not work.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

NUMBER = 0.1262477  # Hz of the first mode of the rotor that vibrates, by docs/seeds.md
PART = ["tests/verification/seeds/test_seeds.py", "tests/robustness/test_units.py"]  # needs no extra


def build(folder: Path) -> tuple[Path, Path]:
    """Wheel and source archive, by the backend alone."""
    run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], ROOT)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


def run(words: list[str], where: Path) -> str:
    """What a program prints; its messages where it fails."""
    apart = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    found = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False, env=apart)
    if found.returncode:
        raise RuntimeError(f"{' '.join(words[:4])} ...: {found.returncode}\n{(found.stdout + found.stderr)[-2000:]}")
    return found.stdout


def interpreter(version: str) -> str | None:
    """The Python of a version: by its name, or beside others of pyenv."""
    beside = sorted(Path.home().glob(f".pyenv/versions/{version}*/bin/python"))
    named = shutil.which(f"python{version}")
    for candidate in (*map(str, beside), *([named] if named else [])):
        asked = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == version:
            return candidate
    return None


def environment(python: str, place: Path, package: Path, is_lowest: bool) -> Path:
    """A fresh environment that has the package; the folder of its programs."""
    run([python, "-m", "venv", str(place)], place.parent)
    programs = place / "bin"
    if is_lowest:
        uv = shutil.which("uv") or str(programs / "uv")
        if not shutil.which("uv"):
            run([str(programs / "pip"), "install", "-q", "uv"], place.parent)
        test = ["pytest>=8.3", "pytest-timeout>=2.3", "hypothesis>=6.115", "jsonschema>=4.23"]
        into = ["--python", str(programs / "python"), "--resolution", "lowest-direct"]
        run([uv, "pip", "install", "-q", *into, str(package), *test], place.parent)
    else:
        run([str(programs / "pip"), "install", "-q", str(package)], place.parent)
    return programs


def tried(programs: Path, where: Path) -> list[str]:
    """The commands of the README, in a folder that has the examples and no source."""
    shutil.copytree(ROOT / "examples", where / "examples")
    command = str(programs / "eigenbody")
    document = json.loads(run([command, "modes", "examples/rotor_stator.yaml", "--json"], where))
    first = next(mode["frequency_hz"] for mode in document["modes"] if mode["kind"] == "oscillatory")
    if abs(first - NUMBER) > 1e-7:
        raise RuntimeError(f"the first mode of the rotor is at {first} Hz, not {NUMBER}")
    table = run([command, "modes", "examples/rotor_stator.yaml"], where)
    run([command, "report", "examples/whipple_bicycle.yaml"], where)
    page = (where / "report.html").stat().st_size
    run([command, "check", "examples/four_bar.yaml"], where)
    run([command, "linearize", "examples/slider_pendulum.yaml", "-o", "slider.mat"], where)
    run([command, "new", "rotor", "-o", "rotor.yaml"], where)
    version = run([command, "--version"], where).strip()
    return [version, f"modes: {len(table.splitlines())} lines", f"report.html: {page / 1e6:.1f} MB", "slider.mat"]


def megabytes(folder: Path) -> float:
    """All files below."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) / 1e6


def attempt(python: str, package: Path, is_lowest: bool) -> str:
    """One environment: what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        place, where = Path(folder) / "venv", Path(folder) / "work"
        where.mkdir()
        begin = time.monotonic()
        programs = environment(python, place, package, is_lowest)
        installed = time.monotonic() - begin
        found = tried(programs, where)
        if is_lowest:
            words = [str(programs / "pytest"), "-q", "-x", "-p", "no:cacheprovider", *PART]
            found.append(run(words, ROOT).strip().splitlines()[-1])
        return f"{installed:.0f} s to install, {megabytes(place):.0f} MB, {time.monotonic() - begin:.0f} s in all: " + (
            "; ".join(found)
        )


def main() -> int:
    """All environments, one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=[f"{sys.version_info[0]}.{sys.version_info[1]}"])
    parser.add_argument("--lowest", action="store_true")
    given = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        wheel, archive = build(Path(folder))
        for version in given.versions:
            python = interpreter(version)
            if python is None:
                print(f"Python {version}: not found here")
                continue
            for package in (wheel,) if given.lowest or version != given.versions[0] else (wheel, archive):
                try:
                    print(f"Python {version}, {package.name}: {attempt(python, package, given.lowest)}", flush=True)
                except RuntimeError as error:
                    failed = True
                    print(f"Python {version}, {package.name}: FAILED {error}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
