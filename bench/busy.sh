#!/bin/sh
# What a run with two threads costs on a busy machine: bench/busy.sh CINCH SCENE [UNTIL [REPEATS]]
#
# Runs the scene with one and with two threads by turns while 0, 1, 2 and 4 busy loops compete for the processors, and
# prints the wall seconds of each run.
set -eu
cinch=$1 scene=$2 until=${3-0.1} repeats=${4-3}
archive=$(mktemp --suffix=.h5)
loops=
trap 'for loop in $loops; do kill "$loop"; done; rm -f "$archive" "${archive%.h5}.xdmf"' EXIT
trap 'exit 1' INT TERM

seconds() {
	"$cinch" run "$scene" --until "$until" --threads "$1" -o "$archive" | sed -n 's/.* simulated in \([0-9.]*\) s.*/\1/p'
}

count=0
for target in 0 1 2 4; do
	while [ "$count" -lt "$target" ]; do
		sh -c 'while :; do :; done' &
		loops="$loops $!"
		count=$((count + 1))
	done
	one= two=
	for repeat in $(seq "$repeats"); do
		one="$one $(seconds 1)"
		two="$two $(seconds 2)"
	done
	echo "$target busy loops: one thread$one s, two threads$two s"
done
