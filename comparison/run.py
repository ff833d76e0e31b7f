"""Every script of the comparison, each with the Python of its tool's environment.

    python comparison/run.py                 all tools; those not installed are named
    python comparison/run.py exudyn drake    these alone
    python comparison/run.py --out FILE      the output also goes to a file

Environments are made by `sh comparison/install.sh`; they are looked for in $EIGENBODY_PEERS, else in
benchmarks/peers/environments. eigenbody itself runs with the Python that runs this script.
"""

import argparse
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = Path(os.environ.get("EIGENBODY_PEERS", HERE.parent / "benchmarks" / "peers" / "environments"))
TOOLS = ("eigenbody", "exudyn", "mujoco", "drake", "pinocchio", "ross", "sympy")


def output(tool):
    """What the script of one tool prints, or why it does not."""
    python = Path(sys.executable) if tool == "eigenbody" else ENVIRONMENTS / tool / "bin" / "python"
    if not python.exists():
        return f"{tool}: not installed; sh comparison/install.sh {tool}\n"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [python, HERE / f"{tool}_cases.py"], capture_output=True, text=True, timeout=600, env=environment, check=False
    )
    if done.returncode:
        return f"{tool}: stopped with code {done.returncode}\n{done.stderr}"
    lines = done.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.lower().startswith(tool))
    return "\n".join(lines[start:]) + "\n"


def main():
    """Run the tools named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", help=f"of {', '.join(TOOLS)}; default all")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    unknown = set(options.tools) - set(TOOLS)
    if unknown:
        parser.error(f"no such tool: {', '.join(sorted(unknown))}; choose of {', '.join(TOOLS)}")
    text = f"{date.today()}, Python {sys.version.split()[0]}\n"
    print(text)
    for tool in options.tools or TOOLS:
        found = output(tool)
        print(found, flush=True)
        text += "\n" + found
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text)


if __name__ == "__main__":
    main()
