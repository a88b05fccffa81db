#include "kds/cone.h"
#include "kds/dop.h"
#include <glib.h>

/* Of a velocity's projection, and of a difference of velocities: a few terms. */
#define RATE_ROUNDING (16.0 * DBL_EPSILON)

void cone_init(Cones *cones, const Flight *flight, size_t n, double quality_loss)
{
	*cones = (Cones){.flight = flight, .n = n, .quality_loss = quality_loss};
	cones->reference = g_new0(Vec3, n + 1);
	cones->radius = g_new0(double, n + 1);
}

void cone_free(Cones *cones)
{
	g_free(cones->reference);
	g_free(cones->radius);
}

static double sum_norm(Vec3 v)
{
	return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

void cone_centre(Cones *cones, uint32_t vertex)
{
	cones->reference[vertex] = cones->flight[vertex].v;
	cones->radius[vertex] = cones->width > 0.0 ? cones->width : INFINITY;
}

void cone_narrow(Cones *cones, uint32_t vertex, double slack)
{
	Vec3 v = cones->flight[vertex].v, off = vec3_sub(v, cones->reference[vertex]);
	double rounding = RATE_ROUNDING * (sum_norm(v) + sum_norm(cones->reference[vertex]));
	double radius = slack - vec3_norm(off) - rounding;
	cones->radius[vertex] = fmin(cones->radius[vertex], radius * (1.0 - 1e-12));
}

/* Where corners are and how they move, along the normal, upper ones up and lower ones down. */
typedef struct {
	double height[CONE_MOST_CORNERS], rate[CONE_MOST_CORNERS];
	double size, speed; /* [length], [length/s] the largest |x| and |v| */
} Corners;

static Corners project(const Cones *cones, const ConeSlab *slab, double time)
{
	Corners corners = {.size = 0.0};
	Vec3 origin = flight_position(&cones->flight[slab->vertex[0]], time);
	for (int c = 0; c < slab->corners; c++) {
		const Flight *plan = &cones->flight[slab->vertex[c]];
		Vec3 v = cones->width > 0.0 ? cones->reference[slab->vertex[c]] : plan->v;
		double sign = c < slab->first ? 1.0 : -1.0;
		corners.height[c] = sign * vec3_dot(slab->normal, vec3_sub(flight_position(plan, time), origin));
		corners.rate[c] = sign * vec3_dot(slab->normal, v);
		corners.size = fmax(corners.size, dop_size(plan, time));
		corners.speed = fmax(corners.speed, sum_norm(v));
	}
	return corners;
}

/* How long the slab lasts at these rates, at most `longest`; -INFINITY when it does not now. */
static double lasting(const Corners *corners, const ConeSlab *slab, double gap, double spread, double longest)
{
	double least = longest;
	for (int a = 0; a < slab->first; a++) {
		for (int b = slab->first; b < slab->corners; b++) {
			double room = corners->height[a] + corners->height[b] - gap;
			double closing = 2.0 * spread - corners->rate[a] - corners->rate[b];
			if (!(room > 0.0))
				return -INFINITY;
			if (closing > 0.0)
				least = fmin(least, room / closing);
		}
	}
	return least;
}

/* By how much all rates may be worse if it is to last that long. */
static double spare(const Corners *corners, const ConeSlab *slab, double gap, double interval)
{
	double least = INFINITY;
	for (int a = 0; a < slab->first; a++)
		for (int b = slab->first; b < slab->corners; b++) {
			double room = corners->height[a] + corners->height[b] - gap;
			least = fmin(least, 0.5 * (room / interval + corners->rate[a] + corners->rate[b]));
		}
	return least;
}

double cone_schedule(const Cones *cones, const ConeSlab *slab, double horizon, double time, ConeLimit *limit)
{
	Corners corners = project(cones, slab, time);
	double exact = cones->quality_loss > 0.0 || cones->width > 0.0 ? horizon : INFINITY;
	/* Who is as fast as the last term crosses all of space within the horizon. */
	double age = fabs(time) + horizon;
	limit->speed = 2.0 * corners.speed + 4.0 * cones->width + corners.size / age;
	double size = corners.size + limit->speed * age;
	double gap = slab->gap + 2.0 * DOP_ROUNDING * size;
	double spread = cones->width > 0.0 ? cones->width * (1.0 + 1e-12) + RATE_ROUNDING * limit->speed : 0.0;
	double interval = lasting(&corners, slab, gap, spread, exact);
	if (!(interval > 0.0))
		return -INFINITY;
	double each = 0.0;
	if (cones->width == 0.0) {
		interval *= 1.0 - cones->quality_loss;
		each = fmax(spare(&corners, slab, gap, interval) - RATE_ROUNDING * limit->speed, 0.0);
	}
	for (int c = 0; c < slab->corners; c++)
		limit->rate[c] = corners.rate[c] - each;
	return time + interval * (1.0 - 1e-12);
}

double cone_slack(const Cones *cones, const ConeSlab *slab, const ConeLimit *limit, int corner)
{
	Vec3 v = cones->flight[slab->vertex[corner]].v;
	double rate = vec3_dot(slab->normal, v) * (corner < slab->first ? 1.0 : -1.0);
	/* |v| here is the sum of the components, which grows by up to sqrt(3) times a change. */
	return fmin(rate - limit->rate[corner], (limit->speed - sum_norm(v)) * 0.57);
}
