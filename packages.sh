# Debian packages, for ./check and ./demo: installs what is missing, and only then.

BUILD_PACKAGES="gcc libc6-dev meson ninja-build pkg-config libglib2.0-dev libjson-glib-dev libhdf5-dev libgmp-dev libqhull-dev zlib1g-dev"
LOOK_PACKAGES="libjs-three libjs-chart.js"
TEST_PACKAGES="libcriterion-dev python3 python3-h5py binutils libjs-three libjs-chart.js"
FULL_PACKAGES="clang libomp-dev clang-tidy cppcheck valgrind"
# What pages, films, man pages and exports are read by: without these, parts of tests say that they are skipped.
READER_PACKAGES="chromium chromium-driver ffmpeg man-db python3-meshio blender"
COVERAGE_PACKAGES="gcovr"

# need_packages NAME...
need_packages() {
	missing=""
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	command -v apt-get >/dev/null || { echo "$0: these Debian packages are missing, and there is no apt-get:$missing" >&2; exit 1; }
	root=""
	if [ "$(id -u)" -ne 0 ]; then
		if sudo -n true 2>/dev/null; then
			root="sudo -n"
		else
			echo "$0: these packages are missing, and only root may install them:$missing" >&2
			echo "run: sudo apt-get install --no-install-recommends$missing" >&2
			exit 1
		fi
	fi
	echo "installing$missing"
	install_log=$(mktemp)
	{ $root apt-get update && DEBIAN_FRONTEND=noninteractive $root apt-get install -y --no-remove --no-install-recommends $missing; } \
		>"$install_log" 2>&1 </dev/null || { tail -20 "$install_log" >&2; echo "$0: cannot install$missing" >&2; exit 1; }
	rm -f "$install_log"
}
