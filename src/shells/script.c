#include "shells/script.h"
#include "core/real.h"
#include "shells/profile.h"
#include <glib.h>

void script_free(Script *script)
{
	if (script == NULL)
		return;
	g_free(script->vertex);
	g_free(script->home);
	g_free(script->time);
	g_free(script->translate);
	g_free(script->angle);
	g_free(script);
}

/* Translation and rotation at a time. */
typedef struct {
	Vec3 translate;
	double cosine, sine;
} Pose;

static Pose pose_at(const Script *script, double time)
{
	size_t i;
	double fraction = profile_locate(script->time, script->n_keys, script->smooth, time, &i);
	Vec3 from = script->translate[i], to = script->translate[i + 1];
	double angle = script->angle[i] + fraction * (script->angle[i + 1] - script->angle[i]);
	return (Pose){
	    .translate = vec3_madd(from, fraction, vec3_sub(to, from)),
	    .cosine = real_cos(angle),
	    .sine = real_sin(angle),
	};
}

/* Rodrigues' rotation about the axis through the centre, then the translation. */
static Vec3 moved(const Script *script, const Pose *pose, Vec3 home)
{
	Vec3 arm = vec3_sub(home, script->centre);
	Vec3 along = vec3_scale(vec3_dot(arm, script->axis), script->axis);
	Vec3 across = vec3_sub(arm, along);
	Vec3 turned = vec3_madd(vec3_scale(pose->cosine, across), pose->sine, vec3_cross(script->axis, across));
	return vec3_add(vec3_add(script->centre, pose->translate), vec3_add(along, turned));
}

Vec3 script_target(const Script *script, size_t i, double time)
{
	Pose pose = pose_at(script, time);
	return moved(script, &pose, script->home[i]);
}

double script_tick(Script *script, Flight *flight, const uint8_t *gone)
{
	double now = clock_time(&script->clock);
	bool done = now >= script->time[script->n_keys - 1];
	script->clock.tick++;
	double next = clock_time(&script->clock);
	Pose pose = pose_at(script, next);
	for (size_t i = 0; i < script->n_vertices; i++) {
		if (gone[script->vertex[i]])
			continue;
		Flight *plan = &flight[script->vertex[i]];
		Vec3 way = vec3_sub(moved(script, &pose, script->home[i]), flight_position(plan, now));
		flight_commit(plan, now, done ? vec3(0, 0, 0) : vec3_scale(1.0 / (next - now), way));
	}
	return script_next(script);
}

double script_next(const Script *script)
{
	/* It is over when the tick before, as script_tick() saw its time, was at the last keyframe or later. */
	uint64_t tick = script->clock.tick;
	double before = tick > 0 ? (double)(tick - 1) * script->clock.step : -INFINITY;
	return before >= script->time[script->n_keys - 1] ? INFINITY : clock_time(&script->clock);
}
