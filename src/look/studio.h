/* Pictures of an archive: where the camera stands, what is coloured how, and the drawing of each frame. */
#ifndef CINCH_LOOK_STUDIO_H
#define CINCH_LOOK_STUDIO_H

#include "io/selection.h"
#include "look/image.h"
#include "look/survey.h"

typedef struct {
	int width, height;
	double azimuth, elevation; /* [degrees] NAN: chosen by what there is to see */
	double zoom;
	const char *focus;         /* "contact": the camera frames where pairs are in contact; "X,Y,Z": a place; NULL: everything */
	double only;               /* [s] the camera frames what there is at this time; NAN: the whole motion */
	const char *colour;        /* "body", or a field of vertices */
	double low, high;          /* of that field's scale; NAN: what the motion has */
	bool wireframe, no_ground, label;
	bool turntable;            /* the camera will go around: it stands far enough away for that */
	unsigned quality;          /* 1 draft, 2 good, 3 best */
} StudioOptions;

#define STUDIO_DEFAULTS \
	(StudioOptions) \
	{ \
		.width = 960, .height = 600, .azimuth = NAN, .elevation = NAN, .zoom = 1.0, .only = NAN, .colour = "body", .low = NAN, \
		.high = NAN, .quality = 2 \
	}

/* The direction of view that shows most of a motion [degrees]. */
typedef struct {
	double azimuth, elevation;
} StudioView;
StudioView studio_view(const Survey *survey);

typedef struct Studio Studio;

/* The selection stays the caller's. */
Studio *studio_new(Selection *selection, const StudioOptions *options, GError **error);
void studio_free(Studio *studio);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Studio, studio_free)

/* The scene at a time [s], with the camera turned by so many degrees. */
Image *studio_draw(Studio *studio, double time, double turn, GError **error);

#endif
