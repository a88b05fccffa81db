#!/bin/sh
# What clang-tidy (.clang-tidy) and cppcheck (cppcheck.supp) say about src/, in the root of the repository: lint.sh BUILD-DIRECTORY
set -eu
status=0
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 -j 2 -I src -I include --library=gtk \
	'-DG_DEFINE_QUARK(a,b)=' '-DG_GNUC_PRINTF(a,b)=' --suppressions-list=tests/house/cppcheck.supp src || status=1
# The files that the build compiles: kernels are compiled several times over, and once is enough to read.
find src -name '*.c' | sort | xargs -P 2 -n 4 clang-tidy --quiet -p "$1" 2>"$1/clang-tidy.stderr" || status=1
[ $status -eq 0 ] && echo "clang-tidy and cppcheck have nothing to say"
exit $status
