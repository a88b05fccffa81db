/* Triangles to samples.
 *
 * Corners are rounded to a fixed grid and sides are tested in integers, inclusively: two triangles that share a side share
 * its end points to the bit, so a sample on it, or beside it, belongs to one of them or to both, never to none. There are
 * no cracks. What decides at a sample is a height that is linear on the screen: the larger one is in front (1/distance of
 * a perspective, the distance along the light in a shadow map). */
#ifndef CINCH_LOOK_RASTER_H
#define CINCH_LOOK_RASTER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define RASTER_GRID 16.0      /* steps of the grid in a sample's width */
#define RASTER_FARTHEST 1.0e6 /* [samples] corners beyond this are not drawn */
#define RASTER_NONE UINT32_MAX

typedef struct {
	double x, y;  /* in samples, rows counted downward */
	double front; /* height */
} RasterCorner;

/* Rows [first_row, first_row + rows) of a raster. */
typedef struct {
	int width, first_row, rows;
	float *front; /* (rows, width) */
	uint32_t *id; /* (rows, width) what is in front there; NULL: nobody asks */
} Raster;

void raster_clear(Raster *raster);
void raster_draw(Raster *raster, const RasterCorner corner[3], uint32_t id);

#endif
