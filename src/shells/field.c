#include "shells/field.h"
#include "core/error.h"
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
	void *arrays[] = {field->stencil, field->parameter, field->step, field->gone, field->origin, field->group, field->touched,
	    field->slot_begin, field->slot, field->held, field->impulse, field->loss, field->memory, field->sum, field->work, field->station,
	    field->held_station, field->frequency2};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_free(arrays[i]);
	g_free(field);
}

void field_add(Field *field, const uint32_t *stencil, const double *parameter)
{
	g_array_append_vals(field->building_stencil, stencil, (guint)field->class->corners);
	g_array_append_vals(field->building_parameter, parameter, (guint)field->class->n_parameters);
	field->n_elements++;
	/* Damped elements lose energy; a force without potential is nothing but loss (or gain). */
	const ForceClass *class = field->class;
	field->lossy |= class->relaxation != NULL ? class->relaxation(parameter) > 0.0 : class->energy == NULL;
}

static const uint32_t *stencil_of(const Field *field, size_t element)
{
	return field->stencil + element * (size_t)field->class->corners;
}

/* NULL when the field remembers nothing. */
static double *memory_of(const Field *field, size_t element)
{
	return field->memory ? field->memory + element * (size_t)field->class->n_measures : NULL;
}

static const double *parameter_of(const Field *field, size_t element)
{
	return field->parameter + element * (size_t)field->class->n_parameters;
}

static bool is_gone(const Field *field, size_t element)
{
	return field->gone != NULL && field->gone[element];
}

typedef struct {
	double step; /* of the clock */
	uint32_t element;
} Sorted;

/* Largest steps first; elements of the same clock in the order in which they were added. */
static int compare_sorted(const void *a, const void *b)
{
	const Sorted *p = a, *q = b;
	if (p->step != q->step)
		return p->step > q->step ? -1 : 1;
	return p->element < q->element ? -1 : p->element > q->element;
}

static void *permute(const void *data, size_t size, const Sorted *order, size_t n)
{
	char *result = g_malloc_n(MAX(n, 1), size);
	for (size_t i = 0; i < n; i++)
		memcpy(result + i * size, (const char *)data + order[i].element * size, size);
	return result;
}

/* Replaces *array (n entries of `size` bytes) by itself in another order. */
static void reorder(void **array, size_t size, const Sorted *order, size_t n)
{
	void *sorted = permute(*array, size, order, n);
	g_free(*array);
	*array = sorted;
}

/* Forces without a stability limit (gravity, loads) share clocks however the others step. */
static bool acts_alone(const Field *field, const StepRule *rule)
{
	return rule->stepping == STEPPING_ELEMENTS && field->class->stiffness != NULL;
}

static double clock_step(const Field *field, const StepRule *rule, double step, double global_step)
{
	switch (rule->stepping) {
	case STEPPING_GLOBAL:
		return global_step;
	case STEPPING_ELEMENTS:
		return acts_alone(field, rule) ? step : clock_bin(step);
	case STEPPING_SUPER_ELEMENTS:
	default:
		return clock_bin(step);
	}
}

static void sort_into_groups(Field *field, const StepRule *rule, double global_step)
{
	size_t n = field->n_elements;
	g_autofree Sorted *order = g_new(Sorted, n);
	for (size_t e = 0; e < n; e++)
		order[e] = (Sorted){clock_step(field, rule, field->step[e], global_step), (uint32_t)e};
	bool alone = acts_alone(field, rule);
	qsort(order, n, sizeof(Sorted), compare_sorted);
	reorder((void **)&field->stencil, sizeof(uint32_t) * (size_t)field->class->corners, order, n);
	reorder((void **)&field->parameter, sizeof(double) * (size_t)field->class->n_parameters, order, n);
	reorder((void **)&field->step, sizeof(double), order, n);
	field->origin = g_new(uint32_t, n);
	GArray *groups = g_array_new(FALSE, TRUE, sizeof(Group));
	for (size_t e = 0; e < n; e++) {
		field->origin[e] = order[e].element;
		Group *last = groups->len ? &g_array_index(groups, Group, groups->len - 1) : NULL;
		if (last != NULL && !alone && last->clock.step == order[e].step) {
			last->n_elements++;
		} else {
			Group group = {.clock = {.step = order[e].step}, .first_element = (uint32_t)e, .n_elements = 1};
			g_array_append_val(groups, group);
		}
	}
	field->n_groups = groups->len;
	field->group = (Group *)(void *)g_array_free(groups, FALSE);
}

typedef struct {
	uint32_t vertex, slot;
} VertexSlot;

static int compare_vertex_slot(const void *a, const void *b)
{
	const VertexSlot *p = a, *q = b;
	if (p->vertex != q->vertex)
		return p->vertex < q->vertex ? -1 : 1;
	return p->slot < q->slot ? -1 : p->slot > q->slot;
}

/* Lists, for each vertex of each group, the slots of `impulse` that it has to sum. */
static void list_slots(Field *field, const Flight *flight)
{
	size_t corners = (size_t)field->class->corners, n_slots = field->n_elements * corners;
	g_autofree VertexSlot *pairs = g_new(VertexSlot, n_slots);
	for (size_t i = 0; i < n_slots; i++)
		pairs[i] = (VertexSlot){field->stencil[i], (uint32_t)i};
	GArray *touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GArray *begin = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GArray *held = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	field->slot = g_new(uint32_t, n_slots);
	for (size_t g = 0; g < field->n_groups; g++) {
		Group *group = &field->group[g];
		size_t first = group->first_element * corners, last = first + group->n_elements * corners;
		qsort(pairs + first, last - first, sizeof(VertexSlot), compare_vertex_slot);
		group->first_touched = touched->len;
		group->first_held = held->len;
		for (size_t i = first; i < last; i++) {
			field->slot[i] = pairs[i].slot;
			if (i > first && pairs[i].vertex == pairs[i - 1].vertex)
				continue;
			uint32_t entry = touched->len, start = (uint32_t)i;
			if (flight[pairs[i].vertex].inverse_mass == 0.0)
				g_array_append_val(held, entry);
			g_array_append_val(touched, pairs[i].vertex);
			g_array_append_val(begin, start);
		}
		group->n_touched = touched->len - group->first_touched;
		group->n_held = held->len - group->first_held;
	}
	uint32_t end = (uint32_t)n_slots;
	g_array_append_val(begin, end);
	field->n_touched = touched->len;
	field->n_held = held->len;
	field->touched = (uint32_t *)(void *)g_array_free(touched, FALSE);
	field->slot_begin = (uint32_t *)(void *)g_array_free(begin, FALSE);
	field->held_station = g_new0(Station, held->len);
	field->held = (uint32_t *)(void *)g_array_free(held, FALSE);
	field->sum = g_new0(Vec3, field->n_touched);
	field->impulse = g_new0(Vec3, n_slots);
	if (field->lossy) {
		field->loss = g_new0(Vec3, n_slots);
		field->work = g_new0(double, field->n_touched);
		field->station = g_new0(Station, field->n_touched);
	}
}

/* What damping would have measured at the tick before the next, had the motion always been as it is now. */
static void remember(Field *field, const Group *group, const Flight *flight)
{
	const ForceClass *class = field->class;
	double before = clock_time(&group->clock) - group->clock.step;
	for (size_t e = group->first_element; e < group->first_element + group->n_elements; e++) {
		Vec3 x[FORCE_MOST_CORNERS], v[FORCE_MOST_CORNERS], force[FORCE_MOST_CORNERS], loss[FORCE_MOST_CORNERS];
		for (int c = 0; c < class->corners; c++) {
			v[c] = flight[stencil_of(field, e)[c]].v;
			x[c] = flight_position(&flight[stencil_of(field, e)[c]], before);
		}
		ForceInput input = {.parameter = parameter_of(field, e), .x = x, .v = v, .scale = 1.0};
		input.memory = memory_of(field, e);
		input.since = group->clock.step;
		class->act(&input, force, loss);
	}
}

/* As it is one step before time zero. */
static void remember_start(Field *field, const Flight *flight)
{
	if (!field->lossy || field->class->n_measures == 0)
		return;
	field->memory = g_new0(double, field->n_elements * (size_t)field->class->n_measures);
	for (size_t g = 0; g < field->n_groups; g++)
		remember(field, &field->group[g], flight);
}

void field_seal(Field *field, const StepRule *rule, double global_step, const Flight *flight)
{
	sort_into_groups(field, rule, global_step);
	list_slots(field, flight);
	remember_start(field, flight);
	g_clear_pointer(&field->frequency2, g_free);
}

/* One tick of one group under way. */
typedef struct {
	Field *field;
	const Group *group;
	Flight *flight;
	double time, weight, scale;
	bool finite; /* false once any summed impulse is not */
} Tick;

/* The forces of one element at a time; force[] is the total, loss[] the part without potential (zero if none). Step, scale,
 * memory and since of the input are the caller's. */
static void evaluate_element(const Field *field, size_t element, const Flight *flight, double time, ForceInput input,
    Vec3 *x, Vec3 *force, Vec3 *loss)
{
	const ForceClass *class = field->class;
	const uint32_t *stencil = stencil_of(field, element);
	Vec3 v[FORCE_MOST_CORNERS];
	for (int c = 0; c < class->corners; c++) {
		x[c] = flight_position(&flight[stencil[c]], time);
		v[c] = flight[stencil[c]].v;
		force[c] = vec3(0, 0, 0);
	}
	if (is_gone(field, element)) {
		for (int c = 0; loss != NULL && c < class->corners; c++)
			loss[c] = vec3(0, 0, 0);
		return;
	}
	input.parameter = parameter_of(field, element);
	input.x = x;
	input.v = v;
	class->act(&input, force, loss);
	if (loss != NULL)
		for (int c = 0; c < class->corners; c++)
			force[c] = vec3_add(force[c], loss[c]);
}

static void evaluate(const Tick *tick, uint32_t begin, uint32_t end)
{
	const Field *field = tick->field;
	int corners = field->class->corners;
	for (uint32_t e = begin; e < end; e++) {
		Vec3 x[FORCE_MOST_CORNERS], force[FORCE_MOST_CORNERS], loss[FORCE_MOST_CORNERS];
		ForceInput input = {.step = tick->weight, .scale = tick->scale, .memory = memory_of(field, e)};
		input.since = tick->group->clock.step;
		evaluate_element(field, e, tick->flight, tick->time, input, x, force, field->lossy ? loss : NULL);
		size_t slot = (size_t)e * (size_t)corners;
		for (int c = 0; c < corners; c++)
			field->impulse[slot + (size_t)c] = vec3_scale(tick->weight, force[c]);
		for (int c = 0; field->lossy && c < corners; c++)
			field->loss[slot + (size_t)c] = vec3_scale(tick->weight, loss[c]);
	}
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

static Vec3 sum_slots(const Field *field, const Vec3 *values, uint32_t entry)
{
	Vec3 sum = vec3(0, 0, 0);
	for (uint32_t i = field->slot_begin[entry]; i < field->slot_begin[entry + 1]; i++)
		sum = vec3_add(sum, values[field->slot[i]]);
	return sum;
}

/* Sums and applies the impulses of touched vertices begin ... end - 1. */
static bool gather(const Tick *tick, uint32_t begin, uint32_t end)
{
	Field *field = tick->field;
	bool finite = true;
	for (uint32_t i = begin; i < end; i++) {
		Flight *flight = &tick->flight[field->touched[i]];
		Vec3 sum = sum_slots(field, field->impulse, i);
		finite &= vec3_is_finite(sum);
		field->sum[i] = sum;
		if (field->lossy) {
			Vec3 loss = vec3_scale(1.0 / tick->weight, sum_slots(field, field->loss, i));
			Vec3 x = flight_position(flight, tick->time);
			field->work[i] = work_to(&field->station[i], x, loss, tick->group->clock.tick);
		}
		flight_kick(flight, tick->time, sum);
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
		part(group->first_element, group->n_elements, i, n, &begin, &end);
		evaluate(tick, begin, end);
#pragma omp barrier
		part(group->first_touched, group->n_touched, i, n, &begin, &end);
		finite = gather(tick, begin, end);
	}
	tick->finite = finite;
}

static void act_alone(Tick *tick)
{
	const Group *group = tick->group;
	evaluate(tick, group->first_element, group->first_element + group->n_elements);
	tick->finite = gather(tick, group->first_touched, group->first_touched + group->n_touched);
}

/* Enters the tick in the account, in a fixed order. */
static void enter(const Tick *tick, Account *account)
{
	const Field *field = tick->field;
	const Group *group = tick->group;
	bool external = field->class->external;
	uint32_t end = group->first_touched + group->n_touched;
	for (uint32_t i = group->first_touched; field->lossy && i < end; i++)
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

/* Names the first element whose impulse is not finite. */
static bool fail_not_finite(const Tick *tick, GError **error)
{
	const Field *field = tick->field;
	size_t corners = (size_t)field->class->corners;
	size_t first = tick->group->first_element;
	for (size_t e = first; e < first + tick->group->n_elements; e++) {
		for (size_t c = 0; c < corners; c++) {
			if (vec3_is_finite(field->impulse[e * corners + c]))
				continue;
			return error_set(error, CINCH_ERROR_FAILED,
			    "the motion broke down at t = %.9g s: the force \"%s\" of element %u at vertex %u is not finite; "
			    "smaller steps (time.safety) or weaker forces may help",
			    tick->time, field->class->name, field->origin[e], stencil_of(field, e)[c]);
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
	bool choice = threads > 1 && group->n_elements >= FEWEST_FOR_THREADS;
	bool together = choice && team_together(&field->team);
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
		elements[e] = gone[*stencil_of(field, e)]; /* its vertices are of one body */
		any |= elements[e];
	}
	g_clear_pointer(&field->gone, g_free);
	if (any)
		field->gone = g_steal_pointer(&elements);
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
	size_t elements = field->n_elements, slots = elements * (size_t)class->corners;
	size_t touched = field->n_touched, held = field->n_held;
	size_t bytes = sizeof(Field) + field->n_groups * sizeof(Group);
	bytes += elements * (sizeof *field->step + sizeof *field->origin);
	bytes += elements * (size_t)class->n_parameters * sizeof *field->parameter;
	bytes += slots * (sizeof *field->stencil + sizeof *field->slot + sizeof *field->impulse);
	bytes += touched * (sizeof *field->touched + sizeof *field->sum) + (touched + 1) * sizeof *field->slot_begin;
	bytes += held * (sizeof *field->held + sizeof *field->held_station);
	if (field->lossy)
		bytes += slots * sizeof *field->loss + touched * (sizeof *field->work + sizeof *field->station);
	if (field->memory != NULL)
		bytes += elements * (size_t)class->n_measures * sizeof *field->memory;
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
			x[c] = flight_position(&flight[stencil_of(field, e)[c]], time);
		sum += field->class->energy(&(ForceInput){.parameter = parameter_of(field, e), .x = x, .scale = 1.0});
	}
	return sum;
}

/* The sum of values[] over an entry's slots, where values[] begins at the group's first slot. */
static Vec3 sum_group_slots(const Field *field, const Vec3 *values, size_t first_slot, uint32_t entry)
{
	Vec3 sum = vec3(0, 0, 0);
	for (uint32_t i = field->slot_begin[entry]; i < field->slot_begin[entry + 1]; i++)
		sum = vec3_add(sum, values[field->slot[i] - first_slot]);
	return sum;
}

/* The forces of a group's elements at a time, as the ledger sees them: without memory. `loss` is left alone where there
 * is none. */
static void group_forces(
    const Field *field, const Group *group, const Flight *flight, double time, Vec3 *force, Vec3 *loss)
{
	size_t corners = (size_t)field->class->corners;
	double scale = field->profile ? profile_at(field->profile, time) : 1.0;
	for (size_t e = 0; e < group->n_elements; e++) {
		Vec3 x[FORCE_MOST_CORNERS];
		ForceInput input = {.step = group->clock.step, .scale = scale};
		evaluate_element(field, group->first_element + e, flight, time, input, x, force + e * corners,
		    field->lossy ? loss + e * corners : NULL);
	}
}

static void group_work_since(
    const Field *field, const Group *group, const Flight *flight, double time, Account *account)
{
	size_t corners = (size_t)field->class->corners, first_slot = group->first_element * corners;
	g_autofree Vec3 *force = g_new(Vec3, group->n_elements * corners), *loss = g_new0(Vec3, group->n_elements * corners);
	group_forces(field, group, flight, time, force, loss);
	bool external = field->class->external;
	for (uint32_t i = group->first_touched; field->lossy && i < group->first_touched + group->n_touched; i++) {
		const Flight *plan = &flight[field->touched[i]];
		if (!external || plan->inverse_mass > 0.0)
			account->work[field->class->work] += work_from(
			    &field->station[i], flight_position(plan, time), sum_group_slots(field, loss, first_slot, i));
	}
	for (uint32_t h = group->first_held; !external && h < group->first_held + group->n_held; h++) {
		const Flight *plan = &flight[field->touched[field->held[h]]];
		account->work[WORK_SCRIPTS] -= work_from(&field->held_station[h], flight_position(plan, time),
		    sum_group_slots(field, force, first_slot, field->held[h]));
	}
}

static void restart_group(Field *field, Group *group, const Flight *flight, double time)
{
	size_t corners = (size_t)field->class->corners, first_slot = group->first_element * corners;
	g_autofree Vec3 *force = g_new(Vec3, group->n_elements * corners), *loss = g_new0(Vec3, group->n_elements * corners);
	group->clock.tick = clock_tick_after(group->clock.step, time);
	if (field->memory != NULL)
		remember(field, group, flight);
	group_forces(field, group, flight, time, force, loss);
	for (uint32_t i = group->first_touched; field->lossy && i < group->first_touched + group->n_touched; i++)
		field->station[i] = (Station){
		    flight_position(&flight[field->touched[i]], time), sum_group_slots(field, loss, first_slot, i)};
	for (uint32_t h = group->first_held; h < group->first_held + group->n_held; h++)
		field->held_station[h] = (Station){flight_position(&flight[field->touched[field->held[h]]], time),
		    sum_group_slots(field, force, first_slot, field->held[h])};
}

void field_restart(Field *field, const Flight *flight, double time)
{
	for (size_t g = 0; g < field->n_groups; g++)
		restart_group(field, &field->group[g], flight, time);
}

void field_work_since(const Field *field, const Flight *flight, double time, Account *account)
{
	for (size_t g = 0; g < field->n_groups; g++) {
		const Group *group = &field->group[g];
		if (group->clock.tick > 0 && (field->lossy || group->n_held > 0))
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
			Vec3 x[FORCE_MOST_CORNERS], force[FORCE_MOST_CORNERS], loss[FORCE_MOST_CORNERS] = {0};
			ForceInput input = {.step = lag, .scale = scale};
			evaluate_element(field, e, flight, time, input, x, force, field->lossy ? loss : NULL);
			visitor(field, &(FieldVisit){stencil_of(field, e), x, force, loss, lag}, data);
		}
	}
}
