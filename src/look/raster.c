#include "look/raster.h"
#include <math.h>

void raster_clear(Raster *raster)
{
	size_t n = (size_t)raster->width * (size_t)raster->rows;
	for (size_t i = 0; i < n; i++)
		raster->front[i] = -INFINITY;
	for (size_t i = 0; raster->id != NULL && i < n; i++)
		raster->id[i] = RASTER_NONE;
}

typedef struct {
	int64_t x, y; /* on the grid */
} Point;

/* Twice the area to the left of a to b, as a function of the sample: value + right per column + down per row. */
typedef struct {
	int64_t value, right, down;
} Side;

static Side side_of(Point a, Point b, Point sample)
{
	int64_t step = (int64_t)RASTER_GRID;
	return (Side){
	    (b.x - a.x) * (sample.y - a.y) - (b.y - a.y) * (sample.x - a.x), -(b.y - a.y) * step, (b.x - a.x) * step};
}

static int64_t floor_to_sample(int64_t grid)
{
	return grid >= 0 ? grid / (int64_t)RASTER_GRID : -((-grid + (int64_t)RASTER_GRID - 1) / (int64_t)RASTER_GRID);
}

typedef struct {
	int left, right, top, bottom; /* inclusive */
} Box;

/* The samples whose centres may be inside. */
static bool find_box(const Raster *raster, const Point p[3], Box *box)
{
	int64_t left = MIN(MIN(p[0].x, p[1].x), p[2].x), right = MAX(MAX(p[0].x, p[1].x), p[2].x);
	int64_t top = MIN(MIN(p[0].y, p[1].y), p[2].y), bottom = MAX(MAX(p[0].y, p[1].y), p[2].y);
	box->left = (int)MAX(floor_to_sample(left), 0);
	box->right = (int)MIN(floor_to_sample(right), raster->width - 1);
	box->top = (int)MAX(floor_to_sample(top), raster->first_row);
	box->bottom = (int)MIN(floor_to_sample(bottom), raster->first_row + raster->rows - 1);
	return box->left <= box->right && box->top <= box->bottom;
}

static void fill(Raster *raster, const Point p[3], const RasterCorner corner[3], const Box *box, int64_t area, uint32_t id)
{
	int64_t half = (int64_t)RASTER_GRID / 2;
	Point first = {box->left * (int64_t)RASTER_GRID + half, box->top * (int64_t)RASTER_GRID + half};
	Side side[3];
	for (int c = 0; c < 3; c++)
		side[c] = side_of(p[(c + 1) % 3], p[(c + 2) % 3], first); /* its value over the area: the weight of corner c */
	double start = 0.0, right = 0.0, down = 0.0;
	for (int c = 0; c < 3; c++) {
		start += corner[c].front * (double)side[c].value / (double)area;
		right += corner[c].front * (double)side[c].right / (double)area;
		down += corner[c].front * (double)side[c].down / (double)area;
	}
	for (int y = box->top; y <= box->bottom; y++) {
		int64_t a = side[0].value, b = side[1].value, c = side[2].value;
		size_t row = (size_t)(y - raster->first_row) * (size_t)raster->width;
		for (int x = box->left; x <= box->right; x++) {
			if ((a | b | c) >= 0) {
				float front = (float)(start + right * (x - box->left) + down * (y - box->top));
				if (front > raster->front[row + (size_t)x]) {
					raster->front[row + (size_t)x] = front;
					if (raster->id != NULL)
						raster->id[row + (size_t)x] = id;
				}
			}
			a += side[0].right;
			b += side[1].right;
			c += side[2].right;
		}
		for (int k = 0; k < 3; k++)
			side[k].value += side[k].down;
	}
}

void raster_draw(Raster *raster, const RasterCorner corner[3], uint32_t id)
{
	Point p[3];
	for (int c = 0; c < 3; c++) {
		if (!(fabs(corner[c].x) < RASTER_FARTHEST && fabs(corner[c].y) < RASTER_FARTHEST))
			return;
		p[c] = (Point){llrint(corner[c].x * RASTER_GRID), llrint(corner[c].y * RASTER_GRID)};
	}
	int64_t area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
	Box box;
	if (area == 0 || !find_box(raster, p, &box))
		return;
	if (area > 0) {
		fill(raster, p, corner, &box, area, id);
		return;
	}
	/* Seen from behind: the other way round. */
	const Point turned[3] = {p[0], p[2], p[1]};
	const RasterCorner turned_corner[3] = {corner[0], corner[2], corner[1]};
	fill(raster, turned, turned_corner, &box, -area, id);
}
