#!/bin/sh
# Runs the README's ./run commands on a bare Debian: no Python, no compiler, nothing but apt-get. Part of every release.
#
#   sudo scripts/bare_machine.sh                  all of them, the whole test suite included
#   sudo scripts/bare_machine.sh tests/browser    arguments go to ./run test
#   sudo scripts/bare_machine.sh --first 2        the first two commands alone
#
# After each command it says how many seconds it took and how many megabytes have been added since the start.
# The machine is a folder made by debootstrap, from the mirror and the release of this machine's own apt, and entered by
# chroot in namespaces of its own: when it ends, nothing of it is mounted or running any more and the folder is deleted.
# pip is set up in it as it is here; folders of packages that pip uses here can be read there.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
say() { printf '\n==== %s\n' "$*" >&2; }

if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || { echo "A machine is made by root: sudo $0 $*" >&2; exit 1; }
    command -v debootstrap >/dev/null || { echo "debootstrap is missing. Install it with: apt-get install debootstrap" >&2; exit 1; }
    machine=$(mktemp -d "${TMPDIR:-/tmp}/bare_machine.XXXXXX")
    chmod 755 "$machine"
    trap 'rm -rf --one-file-system "$machine"' EXIT
    trap 'exit 130' INT TERM
    unshare --mount --pid --fork --kill-child "$0" --inside "$machine" "$@"
    exit
fi

machine=$2
shift 2

make_machine() {
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        sed -n "s/^$release main //p" | head -n 1)
    [ -n "$mirror" ] || { echo "apt knows no mirror of $release here." >&2; exit 1; }
    debootstrap --variant=minbase "$release" "$machine" "$mirror" >&2
    mount -t proc proc "$machine/proc"
    mount --rbind /dev "$machine/dev"
    for file in /etc/resolv.conf /etc/hosts; do
        cat "$file" >"$machine$file"
    done
    apt-config dump | grep -i '^Acquire::.*proxy' >"$machine/etc/apt/apt.conf.d/80proxy" || true
    mkdir -p "$machine/usr/local/share/ca-certificates"
    cp -rL /usr/local/share/ca-certificates/. "$machine/usr/local/share/ca-certificates" 2>/dev/null || true
}

carry_pip_settings() { # files of settings, and the folders that they or the environment name
    for file in /etc/pip.conf /root/.config/pip/pip.conf /root/.pip/pip.conf; do
        [ ! -f "$file" ] || install -D -m 644 "$file" "$machine$file"
    done
    { env | grep '^PIP_' || true; cat /etc/pip.conf /root/.config/pip/pip.conf /root/.pip/pip.conf 2>/dev/null || true; } |
        tr ' =' '\n\n' | sed -n 's,^file://\(/.*\)/simple/*$,\1,p; s,^file://\(/.*\),\1,p; s,^\(/.*\),\1,p' | sort -u |
        while read -r folder; do
            [ -d "$folder" ] || continue
            mkdir -p "$machine$folder"
            mount --bind -o ro "$folder" "$machine$folder"
        done
}

copy_repository() {
    mkdir "$machine/eigenbody"
    (cd "$root" && git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard | xargs -0 tar -c) |
        tar -x -C "$machine/eigenbody"
}

inside() { # one command in the machine, with arguments
    command=$1
    shift
    chroot "$machine" /usr/bin/env HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -euc "cd /eigenbody; $command \"\$@\"" sh "$@"
}

say "A bare machine in $machine"
make_machine
carry_pip_settings
copy_repository
! inside 'command -v python3' || { echo "There is a Python in it: that is not bare." >&2; exit 1; }

first=1000
if [ "${1:-}" = --first ]; then
    first=$2
    shift 2
fi
megabytes() { du -sm --one-file-system "$machine" | cut -f 1; }
start=$(megabytes)

sed -n 's,^\(\./run [^#]*[^# ]\) *\(#.*\)\{0\,1\}$,\1,p' "$root/README.md" | head -n "$first" | while read -r line; do
    say "$line"
    begin=$(date +%s)
    case $line in
    "./run test"*) inside "$line" "$@" </dev/null ;;
    *) inside "$line" </dev/null ;;
    esac
    say "$(($(date +%s) - begin)) s, $(($(megabytes) - start)) MB more than at the start"
done
say "All of these commands ran."
