/* The layout of a field: groups by step, chunks by place, and who touches what. */
#include "core/lanes_count.h"
#include "shells/field.h"
#include <string.h>

/* Of a chunk: so that its vertices' positions and forces fit into the fastest cache beside its parameters. */
enum { CHUNK = 1024 };

typedef struct {
	double step;    /* of the clock */
	uint32_t place; /* along a curve that fills space */
	uint32_t element;
} Sorted;

/* Largest steps first; elements of the same clock by place, then in the order in which they were added. */
static int compare_sorted(const void *a, const void *b)
{
	const Sorted *p = a, *q = b;
	if (p->step != q->step)
		return p->step > q->step ? -1 : 1;
	if (p->place != q->place)
		return p->place < q->place ? -1 : 1;
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

/* --- Places ------------------------------------------------------------------------------------------------------ */

/* Spreads the ten bits of a number to every third. */
static uint32_t spread_bits(uint32_t a)
{
	uint32_t spread = 0;
	for (int bit = 0; bit < 10; bit++)
		spread |= (a >> bit & 1u) << 3 * bit;
	return spread;
}

static Vec3 middle_of(const Field *field, size_t element, const Flight *flight)
{
	Vec3 sum = vec3(0, 0, 0);
	for (int c = 0; c < field->class->corners; c++)
		sum = vec3_add(sum, flight[field_stencil(field, element)[c]].x);
	return vec3_scale(1.0 / field->class->corners, sum);
}

/* Along Morton's curve through the box around all elements, as they stand at the start: near in it is near in space. */
static void find_places(const Field *field, const Flight *flight, Sorted *order)
{
	Vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3_scale(-1.0, low);
	for (size_t e = 0; e < field->n_elements; e++) {
		Vec3 x = middle_of(field, e, flight);
		low = vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
		high = vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
	}
	double size = fmax(fmax(high.x - low.x, high.y - low.y), high.z - low.z);
	double scale = size > 0.0 && isfinite(size) ? 1023.0 / size : 0.0;
	for (size_t e = 0; e < field->n_elements; e++) {
		Vec3 x = vec3_scale(scale, vec3_sub(middle_of(field, e, flight), low));
		order[e].place = spread_bits((uint32_t)x.x) | spread_bits((uint32_t)x.y) << 1 | spread_bits((uint32_t)x.z) << 2;
	}
}

static void sort_into_groups(Field *field, const StepRule *rule, double global_step, const Flight *flight)
{
	size_t n = field->n_elements;
	g_autofree Sorted *order = g_new(Sorted, n);
	for (size_t e = 0; e < n; e++)
		order[e] = (Sorted){clock_step(field, rule, field->step[e], global_step), 0, (uint32_t)e};
	find_places(field, flight, order);
	bool alone = acts_alone(field, rule);
	qsort(order, n, sizeof(Sorted), compare_sorted);
	reorder((void **)&field->stencil, sizeof(uint32_t) * (size_t)field->class->corners, order, n);
	reorder((void **)&field->parameter, sizeof(double) * (size_t)field->class->n_parameters, order, n);
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

/* --- Chunks ------------------------------------------------------------------------------------------------------ */

static uint32_t blocks_of(uint32_t n)
{
	return (n + LANES - 1) / LANES;
}

/* About as large as each other, in whole blocks. */
static void cut_into_chunks(Field *field)
{
	GArray *chunks = g_array_new(FALSE, FALSE, sizeof(Chunk));
	uint32_t blocks = 0;
	for (size_t g = 0; g < field->n_groups; g++) {
		Group *group = &field->group[g];
		uint32_t n_chunks = (group->n_elements + CHUNK - 1) / CHUNK;
		uint32_t size = LANES * blocks_of((group->n_elements + n_chunks - 1) / n_chunks);
		group->first_chunk = chunks->len;
		for (uint32_t first = 0; first < group->n_elements; first += size) {
			Chunk chunk = {.first_element = group->first_element + first, .first_block = blocks};
			chunk.n_elements = MIN(size, group->n_elements - first);
			blocks += blocks_of(chunk.n_elements);
			g_array_append_val(chunks, chunk);
		}
		group->n_chunks = chunks->len - group->first_chunk;
	}
	field->n_blocks = blocks;
	field->n_chunks = chunks->len;
	field->chunk = (Chunk *)(void *)g_array_free(chunks, FALSE);
}

/* That a chunk touches a vertex. */
typedef struct {
	uint32_t vertex, chunk;
} Touch;

static int compare_touches(const void *a, const void *b)
{
	const Touch *p = a, *q = b;
	if (p->vertex != q->vertex)
		return p->vertex < q->vertex ? -1 : 1;
	return p->chunk < q->chunk ? -1 : p->chunk > q->chunk;
}

/* What a chunk touches (Touch), each once, by vertex and chunk, of one group. */
static GArray *touches_of(const Field *field, const Group *group)
{
	GArray *touches = g_array_new(FALSE, FALSE, sizeof(Touch));
	for (uint32_t k = group->first_chunk; k < group->first_chunk + group->n_chunks; k++) {
		const Chunk *chunk = &field->chunk[k];
		const uint32_t *stencil = field_stencil(field, chunk->first_element);
		for (uint32_t i = 0; i < chunk->n_elements * (uint32_t)field->class->corners; i++) {
			Touch touch = {stencil[i], k};
			g_array_append_val(touches, touch);
		}
	}
	g_array_sort(touches, compare_touches);
	guint n = 0;
	for (guint i = 0; i < touches->len; i++) {
		Touch touch = g_array_index(touches, Touch, i);
		if (n == 0 || compare_touches(&touch, &g_array_index(touches, Touch, n - 1)) != 0)
			g_array_index(touches, Touch, n++) = touch;
	}
	g_array_set_size(touches, n);
	return touches;
}

/* Arrays that grow while a field is laid out. */
typedef struct {
	Field *field;
	const Flight *flight;
	GArray *touched, *held, *shared;
	GPtrArray *local, *part; /* GArray of uint32_t, by chunk */
} Layout;

/* Enters a vertex that chunks of a group touch: `n` touches. */
static void enter_vertex(Layout *layout, const Touch *touch, guint n)
{
	uint32_t entry = layout->touched->len, first_part = (uint32_t)layout->field->n_parts;
	g_array_append_val(layout->touched, touch->vertex);
	if (layout->flight[touch->vertex].inverse_mass == 0.0)
		g_array_append_val(layout->held, entry);
	for (guint i = 0; i < n; i++) {
		uint32_t part = n > 1 ? first_part + i + 1 : 0;
		g_array_append_val((GArray *)layout->local->pdata[touch[i].chunk], entry);
		g_array_append_val((GArray *)layout->part->pdata[touch[i].chunk], part);
	}
	if (n == 1)
		return;
	Shared shared = {entry, first_part, n};
	g_array_append_val(layout->shared, shared);
	layout->field->n_parts += n;
}

static void enter_group(Layout *layout, Group *group)
{
	g_autoptr(GArray) touches = touches_of(layout->field, group);
	group->first_touched = layout->touched->len;
	group->first_held = layout->held->len;
	group->first_shared = layout->shared->len;
	for (guint i = 0; i < touches->len;) {
		const Touch *touch = &g_array_index(touches, Touch, i);
		guint n = 1;
		while (i + n < touches->len && touch[n].vertex == touch->vertex)
			n++;
		enter_vertex(layout, touch, n);
		i += n;
	}
	group->n_touched = layout->touched->len - group->first_touched;
	group->n_held = layout->held->len - group->first_held;
	group->n_shared = layout->shared->len - group->first_shared;
}

/* The lists of all chunks, one behind the other. */
static void join_locals(Layout *layout)
{
	Field *field = layout->field;
	GArray *local = g_array_new(FALSE, FALSE, sizeof(uint32_t)), *part = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (size_t k = 0; k < field->n_chunks; k++) {
		const GArray *own = layout->local->pdata[k], *parts = layout->part->pdata[k];
		field->chunk[k].first_local = local->len;
		field->chunk[k].n_local = own->len;
		field->most_local = MAX(field->most_local, own->len);
		g_array_append_vals(local, own->data, own->len);
		g_array_append_vals(part, parts->data, parts->len);
	}
	field->local = (uint32_t *)(void *)g_array_free(local, FALSE);
	field->local_part = (uint32_t *)(void *)g_array_free(part, FALSE);
}

/* Who touches what. */
static void lay_out(Field *field, const Flight *flight)
{
	Layout layout = {.field = field, .flight = flight};
	layout.touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	layout.held = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	layout.shared = g_array_new(FALSE, FALSE, sizeof(Shared));
	layout.local = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	layout.part = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (size_t k = 0; k < field->n_chunks; k++) {
		g_ptr_array_add(layout.local, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
		g_ptr_array_add(layout.part, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
	}
	for (size_t g = 0; g < field->n_groups; g++)
		enter_group(&layout, &field->group[g]);
	join_locals(&layout);
	g_ptr_array_unref(layout.local);
	g_ptr_array_unref(layout.part);
	field->n_touched = layout.touched->len;
	field->n_held = layout.held->len;
	field->n_shared = layout.shared->len;
	field->touched = (uint32_t *)(void *)g_array_free(layout.touched, FALSE);
	field->held = (uint32_t *)(void *)g_array_free(layout.held, FALSE);
	field->shared = (Shared *)(void *)g_array_free(layout.shared, FALSE);
}

/* The row of a vertex among those of its chunk, which are in the order of vertices. */
static uint16_t row_of(const Field *field, const Chunk *chunk, uint32_t vertex)
{
	uint32_t begin = 0, end = chunk->n_local;
	while (end - begin > 1) {
		uint32_t middle = begin + (end - begin) / 2;
		if (field->touched[field->local[chunk->first_local + middle]] <= vertex)
			begin = middle;
		else
			end = middle;
	}
	return (uint16_t)begin;
}

static void list_corners(Field *field)
{
	uint32_t corners = (uint32_t)field->class->corners;
	field->corner = g_new(uint16_t, field->n_blocks * corners * LANES);
	for (size_t k = 0; k < field->n_chunks; k++) {
		const Chunk *chunk = &field->chunk[k];
		uint16_t *block = field->corner + (size_t)chunk->first_block * corners * LANES;
		for (uint32_t e = 0; e < LANES * blocks_of(chunk->n_elements); e++)
			for (uint32_t c = 0; c < corners; c++)
				block[(e / LANES * corners + c) * LANES + e % LANES] =
				    e < chunk->n_elements ? row_of(field, chunk, field_stencil(field, chunk->first_element + e)[c])
				                          : (uint16_t)chunk->n_local;
	}
}

void field_set_blocks(Field *field)
{
	uint32_t n = (uint32_t)field->class->n_parameters;
	if (field->class->kernel == NULL)
		return;
	g_free(field->block_parameter);
	field->block_parameter = g_new0(double, field->n_blocks * n * LANES);
	for (size_t k = 0; k < field->n_chunks; k++) {
		const Chunk *chunk = &field->chunk[k];
		double *block = field->block_parameter + (size_t)chunk->first_block * n * LANES;
		for (uint32_t e = 0; e < chunk->n_elements; e++) {
			size_t element = chunk->first_element + e;
			bool gone = field->gone != NULL && field->gone[element];
			for (uint32_t i = 0; i < n && !gone; i++)
				block[(e / LANES * n + i) * LANES + e % LANES] = field_parameter(field, element)[i];
		}
	}
}

static void make_room(Field *field)
{
	field->part = g_malloc0_n(MAX(field->n_parts, 1), sizeof *field->part);
	field->chunk_work = g_new0(double, field->n_chunks + 1);
	if (field->class->external || field->n_held > 0)
		field->sum = g_new0(Vec3, field->n_touched + 1);
	field->held_station = g_new0(Station, field->n_held + 1);
	if (field->drives) {
		field->work = g_new0(double, field->n_touched + 1);
		field->station = g_new0(Station, field->n_touched + 1);
	}
	if (field->resists) {
		field->measure = g_new0(double, field_memories(field) + 1);
		field->pull = g_new0(double, field_memories(field) + 1);
	}
}

void field_seal(Field *field, const StepRule *rule, double global_step, const Flight *flight)
{
	sort_into_groups(field, rule, global_step, flight);
	cut_into_chunks(field);
	lay_out(field, flight);
	list_corners(field);
	field_set_blocks(field);
	make_room(field);
	field_remember(field, flight);
	g_clear_pointer(&field->step, g_free);
	g_clear_pointer(&field->frequency2, g_free);
}
