#!/bin/sh
# Makes the pictures of README.md and docs/ anew: docs/pictures/make.sh PATH/TO/cinch (view.png is a screenshot of napkin.html)
set -eu
cinch=$(realpath "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
"$cinch" run -q ../../scenes/overhand.json --set size=demo -o "$work/knot.h5"
k=1
for time in 0 0.9 1.5 4; do
	"$cinch" picture "$work/knot.h5" --time $time --focus contact --size 300x300 --quality best -o knot-$k.png
	k=$((k + 1))
done
# The scene of the tutorial.
sed -n '/^```json$/,/^```$/p' ../tutorial.md | sed '/^```/d' >"$work/napkin.json"
"$cinch" run -q "$work/napkin.json" -o "$work/napkin.h5"
"$cinch" picture "$work/napkin.h5" --size 640x400 --quality best -o napkin.png
"$cinch" picture "$work/napkin.h5" --time 0.2 --focus contact --colour contact_force --size 640x400 --quality best -o force.png
# Scenes of README.md, as people would look at them.
for scene in reef nails trash; do
	"$cinch" run -q ../../scenes/$scene.json -o "$work/$scene.h5"
done
"$cinch" picture "$work/reef.h5" --time 0 --close --azimuth 20 --elevation 55 --size 300x300 --quality best -o reef-1.png
"$cinch" picture "$work/reef.h5" --focus contact --close --zoom 1.5 --azimuth 20 --elevation 55 --size 300x300 --quality best -o reef-2.png
"$cinch" picture "$work/nails.h5" --bodies nails,lower,upper --close --colour strain --azimuth 25 --elevation 32 --size 300x300 \
	--quality best -o nails.png
"$cinch" picture "$work/trash.h5" --bodies tube1,tube2,ball,sheet --close --azimuth 200 --elevation 25 --size 300x300 --quality best \
	-o trash.png
rm -r "$work"
