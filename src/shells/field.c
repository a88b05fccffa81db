#include "shells/field.h"
#include "core/error.h"
#include "core/lanes_count.h"
#include "core/stopwatch.h"
#include <omp.h>
#include <string.h>

/* Below this many elements a team of threads costs more than it saves: waking one takes about as long as 500 springs. */
enum { FEWEST_FOR_THREADS = 512 };

Field *field_new(const ForceClass *class)
{
	Field *field = g_new0(Field, 1);
	field->class = class;
	field->building_stencil = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	field->building_parameter = g_array_new(FALSE, FALSE, sizeof(double));
	return field;
}

void field_free(Field *field)
{
	if (field == NULL)
		return;
	profile_free(field->profile);
	if (field->building_stencil != NULL) {
		g_array_unref(field->building_stencil);
		g_array_unref(field->building_parameter);
	}
	void *arrays[] = {field->stencil, field->parameter, field->step, field->gone, field->origin, field->group, field->chunk,
	    field->touched, field->held, field->local, field->local_part, field->shared, field->corner, field->block_parameter,
	    field->measure, field->pull, field->part, field->chunk_work, field->sum, field->work, field->station,
	    field->held_station, field->scratch, field->frequency2};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_free(arrays[i]);
	g_free(field);
}

void field_add(Field *field, const uint32_t *stencil, const double *parameter)
{
	g_array_append_vals(field->building_stencil, stencil, (guint)field->class->corners);
	g_array_append_vals(field->building_parameter, parameter, (guint)field->class->n_parameters);
	field->n_elements++;
	const ForceClass *class = field->class;
	field->resists |= class->relaxation != NULL ? class->relaxation(parameter) > 0.0 : class->n_measures > 0;
	field->drives |= class->energy == NULL && class->n_measures == 0;
}

static bool is_gone(const Field *field, size_t element)
{
	return field->gone != NULL && field->gone[element];
}

/* What the element remembers, if it does. */
static void give_memory(const Field *field, size_t element, ForceInput *input)
{
	size_t first = element * (size_t)field->class->n_measures;
	input->measure = field->resists ? field->measure + first : NULL;
	input->pull = field->resists ? field->pull + first : NULL;
}

/* What damping would have measured at the tick before the next, had the motion always been as it is now. */
static void remember(Field *field, const Group *group, const Flight *flight)
{
	const ForceClass *class = field->class;
	double before = clock_time(&group->clock) - group->clock.step;
	for (size_t e = group->first_element; e < group->first_element + group->n_elements; e++) {
		Vec3 x[FORCE_MOST_CORNERS], v[FORCE_MOST_CORNERS], force[FORCE_MOST_CORNERS], loss[FORCE_MOST_CORNERS];
		for (int c = 0; c < class->corners; c++) {
			v[c] = flight[field_stencil(field, e)[c]].v;
			x[c] = flight_position(&flight[field_stencil(field, e)[c]], before);
		}
		ForceInput input = {.parameter = field_parameter(field, e), .x = x, .v = v, .step = group->clock.step, .scale = 1.0};
		input.by_velocity = true;
		give_memory(field, e, &input);
		class->act(&input, force, loss);
	}
}

void field_remember(Field *field, const Flight *flight)
{
	for (size_t g = 0; g < field->n_groups && field->resists; g++)
		remember(field, &field->group[g], flight);
}

/* One tick of one group under way. */
typedef struct {
	Field *field;
	const Group *group;
	Flight *flight;
	double time, weight, scale;
	bool finite; /* false once any force is not */
} Tick;

/* The forces of one element at a time, with and without potential. Step, scale, memory and since of the input are the
 * caller's. */
static void evaluate_element(
    const Field *field, size_t element, const Flight *flight, double time, ForceInput input, Vec3 *x, Vec3 *force)
{
	const ForceClass *class = field->class;
	const uint32_t *stencil = field_stencil(field, element);
	Vec3 v[FORCE_MOST_CORNERS], loss[FORCE_MOST_CORNERS];
	for (int c = 0; c < class->corners; c++) {
		x[c] = flight_position(&flight[stencil[c]], time);
		v[c] = flight[stencil[c]].v;
		force[c] = vec3(0, 0, 0);
	}
	static const double nothing[FORCE_MOST_PARAMETERS]; /* as in `block_parameter`: it goes on measuring */
	bool gone = is_gone(field, element), loses = field->resists || field->drives;
	if (gone && class->kernel == NULL)
		return;
	input.parameter = gone ? nothing : field_parameter(field, element);
	input.x = x;
	input.v = v;
	class->act(&input, force, loses ? loss : NULL);
	for (int c = 0; loses && c < class->corners; c++)
		force[c] = vec3_add(force[c], loss[c]);
}

/* Where a thread works on a chunk: positions and forces of its vertices, in rows of four, of which the last is that of
 * elements that only fill a block up. */
typedef struct {
	double *x, *force;
} Rows;

static size_t row_count(const Field *field)
{
	return 4 * ((size_t)field->most_local + 1);
}

static Rows rows_of(const Field *field, int thread)
{
	double *begin = field->scratch + 2 * row_count(field) * (size_t)thread;
	return (Rows){begin, begin + row_count(field)};
}

static void set_out(const Tick *tick, const Chunk *chunk, Rows rows)
{
	const Field *field = tick->field;
	const uint32_t *local = field->local + chunk->first_local;
	for (uint32_t i = 0; i < chunk->n_local; i++) {
		Vec3 x = flight_position(&tick->flight[field->touched[local[i]]], tick->time);
		rows.x[4 * i] = x.x;
		rows.x[4 * i + 1] = x.y;
		rows.x[4 * i + 2] = x.z;
		rows.x[4 * i + 3] = 0.0;
	}
	memset(rows.x + 4 * chunk->n_local, 0, 4 * sizeof(double));
	memset(rows.force, 0, 4 * (chunk->n_local + 1) * sizeof(double));
}

/* By the class's act(): the reference of its kernel. */
static double evaluate_one_by_one(const Tick *tick, const Chunk *chunk, Rows rows)
{
	const Field *field = tick->field;
	uint32_t corners = (uint32_t)field->class->corners;
	double work[LANES] = {0}, sum = 0.0;
	for (uint32_t first = 0; first < chunk->n_elements; first += LANES) {
		Vec3 x[FORCE_MOST_CORNERS], force[LANES][FORCE_MOST_CORNERS];
		uint32_t n = MIN(LANES, chunk->n_elements - first);
		for (uint32_t l = 0; l < n; l++) {
			size_t element = chunk->first_element + first + l;
			ForceInput input = {.step = tick->weight, .scale = tick->scale, .work = &work[l]};
			input.since = tick->group->clock.step;
			give_memory(field, element, &input);
			evaluate_element(field, element, tick->flight, tick->time, input, x, force[l]);
		}
		const uint16_t *row = field->corner + ((size_t)chunk->first_block * LANES + first) * corners;
		for (uint32_t c = 0; c < corners; c++)
			for (uint32_t l = 0; l < n; l++) {
				double *to = rows.force + 4 * row[c * LANES + l];
				to[0] += force[l][c].x;
				to[1] += force[l][c].y;
				to[2] += force[l][c].z;
			}
	}
	for (int l = 0; l < LANES; l++)
		sum += work[l];
	return sum;
}

static double evaluate_by_kernel(const Tick *tick, const Chunk *chunk, Rows rows)
{
	const Field *field = tick->field;
	const ForceClass *class = field->class;
	size_t block = (size_t)chunk->first_block * LANES, memory = chunk->first_element * (size_t)class->n_measures;
	KernelBatch batch = {
	    .n_elements = chunk->n_elements,
	    .corner = field->corner + block * (size_t)class->corners,
	    .parameter = field->block_parameter + block * (size_t)class->n_parameters,
	    .measure = field->resists ? field->measure + memory : NULL,
	    .pull = field->resists ? field->pull + memory : NULL,
	    .x = rows.x,
	    .force = rows.force,
	    .since = tick->group->clock.step,
	};
	double sum = 0.0;
	class->kernel(&batch);
	for (int l = 0; l < LANES; l++)
		sum += batch.work[l];
	return sum;
}

static bool are_finite(const double *rows, uint32_t n)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < 4 * n; i++)
		sum += rows[i] - rows[i]; /* 0, or not a number */
	return sum == 0.0;
}

/* The work of a force on the way from a station. */
static double work_from(const Station *station, Vec3 x, Vec3 force)
{
	return 0.5 * vec3_dot(vec3_add(station->force, force), vec3_sub(x, station->x));
}

/* The same, arriving at the next station; the first has no way to it. */
static double work_to(Station *station, Vec3 x, Vec3 force, uint64_t tick)
{
	double work = tick > 0 ? work_from(station, x, force) : 0.0;
	*station = (Station){x, force};
	return work;
}

/* Gives a vertex the sum of its forces. False when its velocity is not finite from then on. */
static bool settle(const Tick *tick, uint32_t entry, const double *row)
{
	Field *field = tick->field;
	Flight *flight = &tick->flight[field->touched[entry]];
	Vec3 force = vec3(row[0], row[1], row[2]), impulse = vec3_scale(tick->weight, force);
	if (field->class->external || flight->inverse_mass == 0.0)
		field->sum[entry] = impulse;
	if (field->drives)
		field->work[entry] =
		    work_to(&field->station[entry], flight_position(flight, tick->time), force, tick->group->clock.tick);
	flight_kick(flight, tick->time, impulse);
	return isfinite(flight->v.x + flight->v.y + flight->v.z);
}

/* The elements of a chunk, and the vertices that are its own. When a force is not finite nobody gets any, so that
 * fail_not_finite() can find out whose it was. */
static bool act_on_chunk(const Tick *tick, uint32_t k, Rows rows)
{
	Field *field = tick->field;
	const Chunk *chunk = &field->chunk[k];
	const uint32_t *local = field->local + chunk->first_local, *part = field->local_part + chunk->first_local;
	bool by_kernel = field->block_parameter != NULL && !field->plain;
	set_out(tick, chunk, rows);
	field->chunk_work[k] = by_kernel ? evaluate_by_kernel(tick, chunk, rows) : evaluate_one_by_one(tick, chunk, rows);
	if (!are_finite(rows.force, chunk->n_local))
		return false;
	bool finite = true;
	for (uint32_t i = 0; i < chunk->n_local; i++) {
		if (part[i] == 0)
			finite &= settle(tick, local[i], rows.force + 4 * i);
		else
			memcpy(field->part[part[i] - 1], rows.force + 4 * i, sizeof *field->part);
	}
	return finite;
}

static bool settle_shared(const Tick *tick, uint32_t begin, uint32_t end)
{
	const Field *field = tick->field;
	bool finite = true;
	for (uint32_t i = begin; i < end; i++) {
		const Shared *shared = &field->shared[i];
		double sum[4] = {0};
		for (uint32_t p = shared->first_part; p < shared->first_part + shared->n_parts; p++)
			for (int axis = 0; axis < 3; axis++)
				sum[axis] += field->part[p][axis];
		finite &= settle(tick, shared->entry, sum);
	}
	return finite;
}

/* Part i of n of the range [first, first + count). */
static void part(uint32_t first, uint32_t count, int i, int n, uint32_t *begin, uint32_t *end)
{
	*begin = first + (uint32_t)((uint64_t)count * (uint64_t)i / (uint64_t)n);
	*end = first + (uint32_t)((uint64_t)count * (uint64_t)(i + 1) / (uint64_t)n);
}

static void act_together(Tick *tick, unsigned threads)
{
	const Group *group = tick->group;
	bool finite = true;
#pragma omp parallel num_threads(threads) reduction(&& : finite)
	{
		int i = omp_get_thread_num(), n = omp_get_num_threads();
		uint32_t begin, end;
		part(group->first_chunk, group->n_chunks, i, n, &begin, &end);
		for (uint32_t k = begin; k < end; k++)
			finite = act_on_chunk(tick, k, rows_of(tick->field, i)) && finite;
#pragma omp barrier
		part(group->first_shared, group->n_shared, i, n, &begin, &end);
		finite = settle_shared(tick, begin, end) && finite;
	}
	tick->finite = finite;
}

static void act_alone(Tick *tick)
{
	const Group *group = tick->group;
	for (uint32_t k = group->first_chunk; k < group->first_chunk + group->n_chunks; k++)
		tick->finite = act_on_chunk(tick, k, rows_of(tick->field, 0)) && tick->finite;
	tick->finite = settle_shared(tick, group->first_shared, group->first_shared + group->n_shared) && tick->finite;
}

static void provide_scratch(Field *field, unsigned threads)
{
	if (threads <= field->n_scratch)
		return;
	field->n_scratch = threads;
	g_free(field->scratch);
	field->scratch = g_new(double, 2 * row_count(field) * threads);
}

/* Enters the tick in the account, in a fixed order. */
static void enter(const Tick *tick, Account *account)
{
	const Field *field = tick->field;
	const Group *group = tick->group;
	bool external = field->class->external;
	uint32_t end = group->first_touched + group->n_touched, last = group->first_chunk + group->n_chunks;
	/* There is no way to the first tick. */
	for (uint32_t k = group->first_chunk; field->resists && group->clock.tick > 0 && k < last; k++)
		account->work[field->class->work] += field->chunk_work[k];
	for (uint32_t i = group->first_touched; field->drives && i < end; i++)
		if (!external || tick->flight[field->touched[i]].inverse_mass > 0.0)
			account->work[field->class->work] += field->work[i];
	/* What reaches a held vertex comes back from whoever holds it. */
	for (uint32_t h = group->first_held; !external && h < group->first_held + group->n_held; h++) {
		uint32_t i = field->held[h];
		const Flight *flight = &tick->flight[field->touched[i]];
		Vec3 x = flight_position(flight, tick->time), force = vec3_scale(1.0 / tick->weight, field->sum[i]);
		account->work[WORK_SCRIPTS] -= work_to(&field->held_station[h], x, force, group->clock.tick);
		account->impulse = vec3_sub(account->impulse, field->sum[i]);
		account->angular_impulse = vec3_sub(account->angular_impulse, vec3_cross(x, field->sum[i]));
	}
	for (uint32_t i = group->first_touched; external && i < end; i++) {
		const Flight *flight = &tick->flight[field->touched[i]];
		if (flight->inverse_mass == 0.0)
			continue;
		account->impulse = vec3_add(account->impulse, field->sum[i]);
		account->angular_impulse = vec3_add(
		    account->angular_impulse, vec3_cross(flight_position(flight, tick->time), field->sum[i]));
	}
}

/* Names the vertex whose velocity is not finite, or else the first element whose force is not: what its memory would add is
 * left out. */
static bool fail_not_finite(const Tick *tick, GError **error)
{
	const Field *field = tick->field;
	size_t first = tick->group->first_element;
	uint32_t entry = tick->group->first_touched, end = entry + tick->group->n_touched;
	while (entry < end && vec3_is_finite(tick->flight[field->touched[entry]].v))
		entry++;
	if (entry < end)
		return error_set(error, CINCH_ERROR_FAILED,
		    "the motion broke down at t = %.9g s: the force \"%s\" gives vertex %u a velocity that is not finite; smaller "
		    "steps (time.safety) or weaker forces may help",
		    tick->time, field->class->name, field->touched[entry]);
	for (size_t e = first; e < first + tick->group->n_elements; e++) {
		Vec3 x[FORCE_MOST_CORNERS], force[FORCE_MOST_CORNERS];
		ForceInput input = {.step = tick->weight, .scale = tick->scale};
		evaluate_element(field, e, tick->flight, tick->time, input, x, force);
		for (int c = 0; c < field->class->corners; c++) {
			if (vec3_is_finite(force[c]))
				continue;
			return error_set(error, CINCH_ERROR_FAILED,
			    "the motion broke down at t = %.9g s: the force \"%s\" of element %u at vertex %u is not finite; "
			    "smaller steps (time.safety) or weaker forces may help",
			    tick->time, field->class->name, field->origin[e], field_stencil(field, e)[c]);
		}
	}
	return error_set(error, CINCH_ERROR_FAILED, "the motion broke down at t = %.9g s: the sum of the force \"%s\" overflows",
	    tick->time, field->class->name);
}

bool field_tick(Field *field, uint32_t group_index, Flight *flight, Account *account, unsigned threads, GError **error)
{
	double began = stopwatch_seconds();
	Group *group = &field->group[group_index];
	Tick tick = {
	    .field = field,
	    .group = group,
	    .flight = flight,
	    .time = clock_time(&group->clock),
	    .weight = clock_weight(&group->clock),
	    .finite = true,
	};
	tick.scale = field->profile ? profile_at(field->profile, tick.time) : 1.0;
	bool choice = team_is_worth(threads, group->n_elements, FEWEST_FOR_THREADS);
	bool together = choice && team_together(&field->team);
	provide_scratch(field, together ? threads : 1);
	if (together)
		act_together(&tick, threads);
	else
		act_alone(&tick);
	if (!tick.finite)
		return fail_not_finite(&tick, error);
	enter(&tick, account);
	field->n_evaluations += group->n_elements;
	group->clock.tick++;
	double seconds = stopwatch_seconds() - began;
	field->seconds += seconds;
	if (choice)
		team_learn(&field->team, together, seconds, group->n_elements);
	return true;
}

/* Nothing has acted there, nor has it gone any way. */
static void clear_station(Station *station, const Flight *flight)
{
	*station = (Station){flight->x, vec3(0, 0, 0)};
}

void field_leave_out(Field *field, const uint8_t *gone, const Flight *flight)
{
	bool any = false;
	g_autofree uint8_t *elements = g_new0(uint8_t, field->n_elements + 1);
	for (size_t e = 0; e < field->n_elements; e++) {
		elements[e] = gone[*field_stencil(field, e)]; /* its vertices are of one body */
		any |= elements[e];
	}
	g_clear_pointer(&field->gone, g_free);
	if (any)
		field->gone = g_steal_pointer(&elements);
	field_set_blocks(field);
	for (size_t i = 0; field->station != NULL && i < field->n_touched; i++)
		if (gone[field->touched[i]])
			clear_station(&field->station[i], &flight[field->touched[i]]);
	for (size_t h = 0; h < field->n_held; h++)
		if (gone[field->touched[field->held[h]]])
			clear_station(&field->held_station[h], &flight[field->touched[field->held[h]]]);
}

size_t field_memory(const Field *field)
{
	const ForceClass *class = field->class;
	size_t elements = field->n_elements, lanes = field->n_blocks * LANES, locals = 0;
	size_t touched = field->n_touched, held = field->n_held;
	for (size_t k = 0; k < field->n_chunks; k++)
		locals += field->chunk[k].n_local;
	size_t bytes = sizeof(Field) + field->n_groups * sizeof(Group) + field->n_chunks * (sizeof(Chunk) + sizeof(double));
	bytes += elements * (sizeof *field->origin + (size_t)class->corners * sizeof *field->stencil);
	bytes += elements * (size_t)class->n_parameters * sizeof *field->parameter;
	bytes += lanes * (size_t)class->corners * sizeof *field->corner;
	if (field->block_parameter != NULL)
		bytes += lanes * (size_t)class->n_parameters * sizeof *field->block_parameter;
	bytes += locals * (sizeof *field->local + sizeof *field->local_part);
	bytes += field->n_shared * sizeof *field->shared + field->n_parts * sizeof *field->part;
	bytes += touched * (sizeof *field->touched + (field->sum != NULL ? sizeof *field->sum : 0));
	bytes += held * (sizeof *field->held + sizeof *field->held_station);
	bytes += field->n_scratch * 2 * row_count(field) * sizeof *field->scratch;
	if (field->drives)
		bytes += touched * (sizeof *field->work + sizeof *field->station);
	bytes += field_memories(field) * (sizeof *field->measure + sizeof *field->pull);
	if (field->gone != NULL)
		bytes += elements * sizeof *field->gone;
	return bytes;
}

double field_energy(const Field *field, const Flight *flight, double time)
{
	if (field->class->energy == NULL)
		return 0.0;
	double sum = 0.0;
	for (size_t e = 0; e < field->n_elements; e++) {
		if (is_gone(field, e))
			continue;
		Vec3 x[FORCE_MOST_CORNERS];
		for (int c = 0; c < field->class->corners; c++)
			x[c] = flight_position(&flight[field_stencil(field, e)[c]], time);
		sum += field->class->energy(&(ForceInput){.parameter = field_parameter(field, e), .x = x, .scale = 1.0});
	}
	return sum;
}

/* The forces on a group's vertices at a time, as the ledger sees them: by velocities, stored nowhere but in sum[n_touched].
 * Returns the work of what resists since the last tick. */
static double group_forces(const Field *field, const Group *group, const Flight *flight, double time, Vec3 *sum)
{
	uint32_t corners = (uint32_t)field->class->corners;
	double scale = field->profile ? profile_at(field->profile, time) : 1.0, work = 0.0;
	memset(sum, 0, group->n_touched * sizeof *sum);
	for (uint32_t k = group->first_chunk; k < group->first_chunk + group->n_chunks; k++) {
		const Chunk *chunk = &field->chunk[k];
		const uint16_t *row = field->corner + (size_t)chunk->first_block * corners * LANES;
		for (uint32_t e = 0; e < chunk->n_elements; e++) {
			Vec3 x[FORCE_MOST_CORNERS], force[FORCE_MOST_CORNERS];
			ForceInput input = {.step = group->clock.step, .scale = scale, .since = group->clock.step, .work = &work};
			input.by_velocity = input.only_looks = true;
			give_memory(field, chunk->first_element + e, &input);
			evaluate_element(field, chunk->first_element + e, flight, time, input, x, force);
			for (uint32_t c = 0; c < corners; c++) {
				uint32_t local = row[(e / LANES * corners + c) * LANES + e % LANES];
				uint32_t place = field->local[chunk->first_local + local] - group->first_touched;
				sum[place] = vec3_add(sum[place], force[c]);
			}
		}
	}
	return work;
}

static void group_work_since(
    const Field *field, const Group *group, const Flight *flight, double time, Account *account)
{
	g_autofree Vec3 *sum = g_new(Vec3, group->n_touched);
	account->work[field->class->work] += group_forces(field, group, flight, time, sum);
	bool external = field->class->external;
	for (uint32_t i = 0; field->drives && i < group->n_touched; i++) {
		const Flight *plan = &flight[field->touched[group->first_touched + i]];
		if (!external || plan->inverse_mass > 0.0)
			account->work[field->class->work] +=
			    work_from(&field->station[group->first_touched + i], flight_position(plan, time), sum[i]);
	}
	for (uint32_t h = group->first_held; !external && h < group->first_held + group->n_held; h++) {
		const Flight *plan = &flight[field->touched[field->held[h]]];
		account->work[WORK_SCRIPTS] -= work_from(
		    &field->held_station[h], flight_position(plan, time), sum[field->held[h] - group->first_touched]);
	}
}

static void restart_group(Field *field, Group *group, const Flight *flight, double time)
{
	g_autofree Vec3 *sum = g_new(Vec3, group->n_touched);
	group->clock.tick = clock_tick_after(group->clock.step, time);
	if (field->resists)
		remember(field, group, flight);
	group_forces(field, group, flight, time, sum);
	for (uint32_t i = 0; field->drives && i < group->n_touched; i++) {
		uint32_t entry = group->first_touched + i;
		field->station[entry] = (Station){flight_position(&flight[field->touched[entry]], time), sum[i]};
	}
	for (uint32_t h = group->first_held; h < group->first_held + group->n_held; h++)
		field->held_station[h] = (Station){flight_position(&flight[field->touched[field->held[h]]], time),
		    sum[field->held[h] - group->first_touched]};
}

void field_restart(Field *field, const Flight *flight, double time, Account *account)
{
	Account since = {0};
	for (size_t g = 0; g < field->n_groups; g++)
		restart_group(field, &field->group[g], flight, time);
	field_work_since(field, flight, time, &since);
	for (int work = 0; work < WORK_N; work++)
		account->work[work] -= since.work[work];
}

void field_work_since(const Field *field, const Flight *flight, double time, Account *account)
{
	for (size_t g = 0; g < field->n_groups; g++) {
		const Group *group = &field->group[g];
		if (group->clock.tick > 0 && (field->resists || field->drives || group->n_held > 0))
			group_work_since(field, group, flight, time, account);
	}
}

void field_visit(const Field *field, const Flight *flight, double time, FieldVisitor *visitor, void *data)
{
	double scale = field->profile ? profile_at(field->profile, time) : 1.0;
	for (size_t g = 0; g < field->n_groups; g++) {
		const Group *group = &field->group[g];
		double lag = clock_lag(&group->clock, time);
		for (size_t e = group->first_element; e < group->first_element + group->n_elements; e++) {
			Vec3 x[FORCE_MOST_CORNERS], force[FORCE_MOST_CORNERS];
			evaluate_element(field, e, flight, time, (ForceInput){.step = lag, .scale = scale}, x, force);
			visitor(field, &(FieldVisit){field_stencil(field, e), x, force, lag}, data);
		}
	}
}
