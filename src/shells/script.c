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
	g_free(script->frame);
	g_free(script->hold);
	g_free(script);
}

/* A place in the script: between two keys, and for keyframes the translation and rotation there. */
typedef struct {
	size_t key;
	double fraction;
	Vec3 translate;
	double cosine, sine;
} Pose;

static Pose pose_at(const Script *script, double time)
{
	size_t i;
	if (script->leader != NULL)
		return pose_at(script->leader, time);
	double fraction = profile_locate(script->time, script->n_keys, script->smooth, time, &i);
	if (script->frame != NULL)
		return (Pose){.key = i, .fraction = fraction};
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

/* Where a vertex of a script that moves by itself is to be. */
static Vec3 led(const Script *script, const Pose *pose, size_t i)
{
	if (script->frame == NULL)
		return moved(script, pose, script->home[i]);
	const Vec3 *frame = script->frame + pose->key * script->n_vertices;
	Vec3 from = frame[i], to = frame[script->n_vertices + i];
	return pose->fraction < 1.0 ? vec3_madd(from, pose->fraction, vec3_sub(to, from)) : to;
}

/* The normal of a triangle; of one without area zero. */
static Vec3 normal_of(const Vec3 x[3])
{
	Vec3 normal = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
	double length = vec3_norm(normal);
	return length > 0.0 ? vec3_scale(1.0 / length, normal) : vec3(0, 0, 0);
}

static Vec3 target_at(const Script *script, const Pose *pose, size_t i)
{
	if (script->leader == NULL)
		return led(script, pose, i);
	const ScriptHold *hold = &script->hold[i];
	Vec3 x[3];
	for (int c = 0; c < 3; c++)
		x[c] = led(script->leader, pose, hold->corner[c]);
	Vec3 point = vec3_madd(x[0], hold->along[0], vec3_sub(x[1], x[0]));
	point = vec3_madd(point, hold->along[1], vec3_sub(x[2], x[0]));
	return vec3_madd(point, hold->height, normal_of(x));
}

Vec3 script_target(const Script *script, size_t i, double time)
{
	Pose pose = pose_at(script, time);
	return target_at(script, &pose, i);
}

ScriptHold script_hold(const Vec3 x[3], Vec3 point)
{
	Vec3 a = vec3_sub(x[1], x[0]), b = vec3_sub(x[2], x[0]), p = vec3_sub(point, x[0]);
	double aa = vec3_norm2(a), ab = vec3_dot(a, b), bb = vec3_norm2(b), pa = vec3_dot(p, a), pb = vec3_dot(p, b);
	double det = aa * bb - ab * ab;
	return (ScriptHold){
	    .along = {(pa * bb - pb * ab) / det, (pb * aa - pa * ab) / det},
	    .height = vec3_dot(p, normal_of(x)),
	};
}

bool script_turns(const Script *script)
{
	if (script->leader != NULL)
		return script_turns(script->leader);
	bool any = script->frame != NULL;
	for (size_t k = 0; !any && k < script->n_keys; k++)
		any = script->angle[k] != 0.0;
	return any;
}

size_t script_memory(const Script *script)
{
	size_t bytes = sizeof *script + script->n_vertices * sizeof *script->vertex + script->n_keys * sizeof *script->time;
	if (script->leader != NULL)
		return bytes + script->n_vertices * sizeof *script->hold;
	if (script->frame != NULL)
		return bytes + script->n_keys * script->n_vertices * sizeof *script->frame;
	return bytes + script->n_vertices * sizeof *script->home +
	       script->n_keys * (sizeof *script->translate + sizeof *script->angle);
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
		Vec3 way = vec3_sub(target_at(script, &pose, i), flight_position(plan, now));
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
