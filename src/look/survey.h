/* A look over the whole motion, before the first picture: what it fills, which way its faces are turned, how large a field
 * gets. Cameras and scales that come from it stay the same from frame to frame. */
#ifndef CINCH_LOOK_SURVEY_H
#define CINCH_LOOK_SURVEY_H

#include "core/vec.h"
#include "io/origin.h"
#include "io/selection.h"

typedef struct {
	GArray *point;       /* Vec3 [length]: a sample of all places where vertices ever are */
	Vec3 centre;         /* [length] of the box around them */
	double radius;       /* [length] of the ball around that which holds them */
	double lowest;       /* [length] along up */
	Vec3 up;             /* unit vectors, at right angles: up, and where most faces look, level */
	Vec3 front;
	double upward;       /* how much of the area looks up or down, 0 to 1 */
	bool flat;           /* all of it is in one upright plane, which `front` is at right angles to */
} Survey;

/* `only` is the one time to look at [s]; NAN: the whole motion. */
Survey *survey_new(Selection *selection, const Origin *origin, double only, GError **error);
void survey_free(Survey *survey);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Survey, survey_free)

/* Over the motion: from 0 or the least value to one that only a few exceed (a whole number of layers). */
bool survey_field(Selection *selection, const char *name, double *low, double *high, GError **error);

#endif
