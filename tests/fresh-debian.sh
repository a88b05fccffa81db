#!/bin/sh
# Runs ./demo and ./check in a Debian 12 in which nothing is installed, and prints how long they took. For maintainers:
# needs root, debootstrap, and 3 GB below DIRECTORY, which must not exist and is left there to be looked at.
#
#   tests/fresh-debian.sh DIRECTORY
#
# The system comes from the mirror that apt is configured with here, the sources from the last commit.
set -eu
[ $# -eq 1 ] && [ ! -e "$1" ] || { echo "usage: tests/fresh-debian.sh DIRECTORY-TO-MAKE" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "tests/fresh-debian.sh: only root may make a system" >&2; exit 1; }
repository=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
system=$(cd "$1" && pwd)

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Created-By: Packages' | head -1)
[ -n "$mirror" ] || { echo "tests/fresh-debian.sh: apt knows no mirror of bookworm; run apt-get update" >&2; exit 1; }
debootstrap --variant=minbase bookworm "$system" "$mirror" >"$system.log" || { tail "$system.log" >&2; exit 1; }
apt-config dump | grep -i '^Acquire::.*::Proxy' >"$system/etc/apt/apt.conf.d/90proxy" || true
cp /etc/resolv.conf /etc/hosts "$system/etc/"
git clone --quiet "$repository" "$system/root/cinch"

# The second ./demo has its packages and its build.
cat >"$system/root/go" <<'END'
set -eu
export LC_ALL=C
cd /root/cinch
for command in ./demo ./demo ./check; do
	echo "=== $command"
	began=$(date +%s)
	$command
	echo "=== $command took $(($(date +%s) - began)) s"
done
END
# The mounts end with their namespace, whatever happens.
exec unshare --mount sh -eu -c '
	mount -t proc proc "$1/proc"
	mount --rbind /sys "$1/sys"
	mount --rbind /dev "$1/dev"
	exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb sh /root/go
' sh "$system"
