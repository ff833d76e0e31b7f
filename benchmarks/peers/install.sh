#!/bin/sh
# A virtual environment of its own for one peer: exudyn, mujoco, drake, pinocchio, ross or sympy.
#     sh benchmarks/peers/install.sh exudyn
# It goes to benchmarks/peers/environments/NAME, or to $EIGENBODY_PEERS/NAME where that is set.
set -e
name=${1:?"usage: install.sh exudyn|mujoco|drake|pinocchio|ross|sympy"}
also=scipy
case $name in
    exudyn | mujoco | drake | sympy) package=$name ;;
    ross) package=ross-rotordynamics also="plotly<7" ;;  # ROSS 2.3.0 does not start with plotly 7
    pinocchio | pin) name=pinocchio package=pin ;;
    *) echo "install.sh: no peer is called $name; choose exudyn, mujoco, drake, pinocchio, ross or sympy" >&2; exit 2 ;;
esac
home=${EIGENBODY_PEERS:-$(dirname "$0")/environments}
mkdir -p "$home"
python3 -m venv "$home/$name"
"$home/$name/bin/python" -m pip install --quiet --disable-pip-version-check "$package" "$also"
"$home/$name/bin/python" -m pip list 2>/dev/null | grep -i -E "^($package|numpy|scipy) "
