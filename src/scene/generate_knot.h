/* Curves of knots. */
#ifndef CINCH_SCENE_GENERATE_KNOT_H
#define CINCH_SCENE_GENERATE_KNOT_H

#include "scene/reader.h"

/* The knot that the keys of a ribbon say, for a strip of that width: GArray of CurveSample with their frames; NULL after an error. */
GArray *generate_knot_samples(Reader *reader, double width);

#endif
