/* Triangles on a raster: no cracks between neighbours, the nearest in front, and PNG files as others write them. */
#include "look/camera.h"
#include "look/image.h"
#include "look/raster.h"
#include "core/random.h"
#include <criterion/criterion.h>

enum { SIZE = 200, CELLS = 12 };

typedef struct {
	float front[SIZE * SIZE];
	uint32_t id[SIZE * SIZE];
	Raster raster;
} Canvas;

static Canvas *canvas_new(void)
{
	Canvas *canvas = g_new0(Canvas, 1);
	canvas->raster = (Raster){SIZE, 0, SIZE, canvas->front, canvas->id};
	raster_clear(&canvas->raster);
	return canvas;
}

/* A grid that is shaken so that no side is along a row; the outer vertices stay, so that it covers all samples. */
static void shaken_grid(uint64_t *state, RasterCorner grid[CELLS + 1][CELLS + 1])
{
	double cell = (double)(SIZE + 2) / CELLS;
	for (int j = 0; j <= CELLS; j++)
		for (int i = 0; i <= CELLS; i++) {
			bool inside = i > 0 && j > 0 && i < CELLS && j < CELLS;
			double shake = inside ? 0.3 * cell : 0.0;
			grid[j][i] = (RasterCorner){i * cell - 1.0 + shake * (2 * random_unit(state) - 1),
			    j * cell - 1.0 + shake * (2 * random_unit(state) - 1), 1.0};
		}
}

Test(raster, neighbours_leave_no_cracks)
{
	uint64_t state = 7;
	for (int trial = 0; trial < 50; trial++) {
		RasterCorner grid[CELLS + 1][CELLS + 1];
		Canvas *canvas = canvas_new();
		shaken_grid(&state, grid);
		for (int j = 0; j < CELLS; j++)
			for (int i = 0; i < CELLS; i++) {
				/* Either way around: both sides are drawn. */
				const RasterCorner a[3] = {grid[j][i], grid[j][i + 1], grid[j + 1][i + 1]};
				const RasterCorner b[3] = {grid[j][i], grid[j + 1][i + 1], grid[j + 1][i]};
				raster_draw(&canvas->raster, a, 0);
				raster_draw(&canvas->raster, b, 1);
			}
		for (int k = 0; k < SIZE * SIZE; k++)
			cr_assert_neq(canvas->id[k], RASTER_NONE, "trial %d: a crack at %d, %d", trial, k % SIZE, k / SIZE);
		g_free(canvas);
	}
}

Test(raster, the_nearest_is_in_front_whatever_the_order)
{
	const RasterCorner near[3] = {{0, 0, 3}, {150, 0, 3}, {0, 150, 1}}, far[3] = {{-9, -9, 2}, {300, -9, 2}, {-9, 300, 2}};
	for (int order = 0; order < 2; order++) {
		Canvas *canvas = canvas_new();
		raster_draw(&canvas->raster, order ? near : far, order ? 1 : 0);
		raster_draw(&canvas->raster, order ? far : near, order ? 0 : 1);
		/* The first falls from 3 to 1 along its rows: it meets the second half way. */
		cr_assert_eq(canvas->id[10 * SIZE + 10], 1);
		cr_assert_eq(canvas->id[70 * SIZE + 10], 1);
		cr_assert_eq(canvas->id[80 * SIZE + 10], 0);
		cr_assert_eq(canvas->id[150 * SIZE + 20], 0);
		g_free(canvas);
	}
}

Test(raster, bands_are_parts_of_the_whole)
{
	uint64_t state = 11;
	RasterCorner corner[3];
	Canvas *whole = canvas_new(), *parts = canvas_new();
	for (int trial = 0; trial < 200; trial++) {
		for (int c = 0; c < 3; c++)
			corner[c] = (RasterCorner){300 * random_unit(&state) - 50, 300 * random_unit(&state) - 50, random_unit(&state)};
		raster_draw(&whole->raster, corner, (uint32_t)trial);
		for (int row = 0; row < SIZE; row += 25) {
			Raster band = {SIZE, row, 25, parts->front + row * SIZE, parts->id + row * SIZE};
			raster_draw(&band, corner, (uint32_t)trial);
		}
	}
	cr_assert_arr_eq(whole->id, parts->id, sizeof whole->id);
	g_free(whole);
	g_free(parts);
}

Test(raster, corners_that_are_no_places_are_left_out)
{
	Canvas *canvas = canvas_new();
	const RasterCorner wrong[3] = {{NAN, 0, 1}, {100, 0, 1}, {0, 100, 1}}, wide[3] = {{0, 0, 1}, {1e300, 0, 1}, {0, 10, 1}};
	raster_draw(&canvas->raster, wrong, 0);
	raster_draw(&canvas->raster, wide, 0);
	for (int k = 0; k < SIZE * SIZE; k++)
		cr_assert_eq(canvas->id[k], RASTER_NONE);
	g_free(canvas);
}

/* All points are in the picture, and some are at its margin: from every direction. */
Test(raster, the_camera_frames_all_points)
{
	uint64_t state = 3;
	Vec3 point[100];
	for (int trial = 0; trial < 200; trial++) {
		for (int i = 0; i < 100; i++)
			point[i] = vec3(3 * random_unit(&state) + 5, random_unit(&state), 2 * random_unit(&state) - 9);
		CameraView view = {.vertical = vec3(0, 1, 0), .front = vec3(0, 0, 1), .azimuth = 360 * random_unit(&state),
		    .elevation = 160 * random_unit(&state) - 80, .zoom = 1, .angle = 24, .width = 640, .height = 400};
		Camera camera = camera_frame(&view, point, 100);
		double nearest = INFINITY;
		for (int i = 0; i < 100; i++) {
			Vec3 look = camera_look(&camera, point[i]);
			cr_assert_gt(look.z, camera.nearest);
			RasterCorner place = camera_project(&camera, look, 1.0);
			double margin = fmin(fmin(place.x, 640 - place.x) / 640, fmin(place.y, 400 - place.y) / 400);
			cr_assert_geq(margin, 0.0499, "trial %d: %g, %g", trial, place.x, place.y);
			nearest = fmin(nearest, margin);
			Vec3 ray = vec3_madd(camera.eye, look.z, camera_ray(&camera, place.x, place.y));
			cr_assert_lt(vec3_distance(ray, point[i]), 1e-9);
		}
		cr_assert_leq(nearest, 0.0501);
	}
}

Test(raster, bytes_and_light_are_inverse)
{
	for (int byte = 0; byte < 256; byte++)
		cr_assert_eq(image_encode(image_decode((uint8_t)byte)), byte);
}
