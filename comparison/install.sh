#!/bin/sh
# Virtual environments for the tools of the comparison, each its own, by benchmarks/peers/install.sh.
#     sh comparison/install.sh exudyn ross     these two
#     sh comparison/install.sh                 all six
set -e
[ $# -gt 0 ] || set -- exudyn mujoco drake pinocchio ross sympy
for tool; do
    sh "$(dirname "$0")/../benchmarks/peers/install.sh" "$tool"
done
