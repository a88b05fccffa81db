/* A kinetic grid (thesis chapter 7): space is cut into cells, and every element has one certificate, for staying in the cells
 * that it is in. Elements that share a cell have slabs (slab_table.h).
 *
 * Invariant: at any instant every element, with a margin of half the distance at which layer 1 wakes, is within its cells
 * until its event; and every two elements whose cells meet, and that have primitive pairs, are an open group of the table.
 * So two without a group are farther apart than layer 1 wakes at.
 *
 * Who leaves a cell may do so in two ways. Active: that has an event too, and pairs that share no cell any longer are closed at
 * once. Lazy: cells are left when an element enters others, and a pair is closed when its slab is looked at in any case and its
 * elements turn out to share no cell.
 *
 * An event may come too early, when velocities have changed since it was scheduled: then it is put off. It is never late.
 *
 * What is in very many cells, such as a wall, is not entered into them: it is compared with all others. */
#include "kds/advance.h"
#include "kds/detector.h"
#include "kds/lattice.h"
#include "kds/slab_table.h"
#include <string.h>

#define NONE SLAB_TABLE_NONE

enum { MOST_CELLS = 512 }; /* of an element that is entered into them */

typedef struct {
	CellRange range;
	double margin;       /* [length] half of the distance that has to be kept, and half of the thickness */
	QueueHandle event;
	uint32_t first_pair; /* group * 2 + side */
	uint32_t stamp;      /* of the last change that looked at it */
	uint32_t mark;       /* of the last search that has found it, or began with it as a partner */
	bool active;         /* it can meet anything */
	bool placed, wide;
} Item;

/* Of a group of the table, in the lists of its elements; same index. */
typedef struct {
	uint32_t element[2], next[2], previous[2];
	bool open;
} Pair;

typedef struct {
	Detector base;
	SlabTable *table;
	Lattice lattice;
	Cells *cells;
	Item *item;             /* (elements) */
	uint32_t *vertex_begin; /* (vertices + 1) in vertex_item */
	uint32_t *vertex_item;  /* elements of each vertex */
	GArray *wide;           /* uint32_t: elements in very many cells */
	GArray *pair;           /* Pair */
	GArray *lapsed;         /* uint32_t: groups whose need is in doubt */
	CellMembers members;
	uint32_t stamp, mark;
	DetectorCount count;
} Grid;

static Pair *pair_at(const Grid *grid, uint32_t i)
{
	return &g_array_index(grid->pair, Pair, i);
}

static LatticeShape shape_of(const Grid *grid, uint32_t index)
{
	const Element *element = &grid->base.site.surface->element[index];
	return (LatticeShape){grid->base.site.flight, element->vertex, element->corners, grid->item[index].margin};
}

/* --- Pairs ------------------------------------------------------------------------------------------------------- */

static void enter_lists(Grid *grid, uint32_t index)
{
	Pair *pair = pair_at(grid, index);
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t *first = &grid->item[pair->element[side]].first_pair, link = index * 2 + side;
		pair->next[side] = *first;
		pair->previous[side] = NONE;
		if (*first != NONE)
			pair_at(grid, *first / 2)->previous[*first % 2] = link;
		*first = link;
	}
}

static void leave_lists(Grid *grid, uint32_t index)
{
	Pair *pair = pair_at(grid, index);
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t next = pair->next[side], previous = pair->previous[side];
		if (next != NONE)
			pair_at(grid, next / 2)->previous[next % 2] = previous;
		if (previous != NONE)
			pair_at(grid, previous / 2)->next[previous % 2] = next;
		else
			grid->item[pair->element[side]].first_pair = next;
	}
}

static bool may_meet(const Grid *grid, uint32_t a, uint32_t b)
{
	const Surface *surface = grid->base.site.surface;
	const Element *p = &surface->element[a], *q = &surface->element[b];
	return (p->moves || q->moves) && surface->meets[p->body * surface->world->bodies->len + q->body];
}

static void open_pair(Grid *grid, uint32_t a, uint32_t b, double time)
{
	if (!may_meet(grid, a, b))
		return;
	uint32_t group = slab_table_open(grid->table, MIN(a, b), MAX(a, b), time);
	if (group == NONE)
		return;
	if (group >= grid->pair->len)
		g_array_set_size(grid->pair, group + 1);
	*pair_at(grid, group) = (Pair){.element = {MIN(a, b), MAX(a, b)}, .open = true};
	enter_lists(grid, group);
}

static void close_pair(Grid *grid, uint32_t group)
{
	leave_lists(grid, group);
	pair_at(grid, group)->open = false;
	slab_table_close(grid->table, group);
}

static bool shares_cell(const Grid *grid, uint32_t group)
{
	const Pair *pair = pair_at(grid, group);
	return cells_meet(&grid->item[pair->element[0]].range, &grid->item[pair->element[1]].range);
}

static void close_parted(Grid *grid, uint32_t index)
{
	for (uint32_t link = grid->item[index].first_pair, next; link != NONE; link = next) {
		next = pair_at(grid, link / 2)->next[link % 2];
		if (!shares_cell(grid, link / 2))
			close_pair(grid, link / 2);
	}
}

/* --- Cells ------------------------------------------------------------------------------------------------------- */

typedef void CellVisitor(Grid *grid, const int32_t cell[3], uint32_t index);

/* Calls visit() for each cell of `range` that is not in `but`; NULL: for all. */
static void visit_cells(Grid *grid, const CellRange *range, const CellRange *but, uint32_t index, CellVisitor *visit)
{
	int32_t cell[3];
	for (cell[0] = range->low[0]; cell[0] <= range->high[0]; cell[0]++)
		for (cell[1] = range->low[1]; cell[1] <= range->high[1]; cell[1]++)
			for (cell[2] = range->low[2]; cell[2] <= range->high[2]; cell[2]++)
				if (but == NULL || !cells_has(but, cell))
					visit(grid, cell, index);
}

static void enter_cell(Grid *grid, const int32_t cell[3], uint32_t index)
{
	cells_collect(grid->cells, cell, &grid->members);
	cells_add(grid->cells, cell, index);
}

static void leave_cell(Grid *grid, const int32_t cell[3], uint32_t index)
{
	cells_remove(grid->cells, cell, index);
}

static void leave_wide(Grid *grid, uint32_t index)
{
	for (guint i = 0; i < grid->wide->len; i++)
		if (g_array_index(grid->wide, uint32_t, i) == index)
			g_array_remove_index_fast(grid->wide, i--);
}

/* Those already paired with an element are not to be found again. */
static void mark_partners(Grid *grid, uint32_t index)
{
	grid->item[index].mark = ++grid->mark;
	for (uint32_t link = grid->item[index].first_pair; link != NONE; link = pair_at(grid, link / 2)->next[link % 2])
		grid->item[pair_at(grid, link / 2)->element[1 - link % 2]].mark = grid->mark;
}

static void meet(Grid *grid, uint32_t index, uint32_t other, double time)
{
	Item *item = &grid->item[other];
	if (item->mark == grid->mark || !item->placed || !cells_meet(&item->range, &grid->item[index].range))
		return;
	item->mark = grid->mark;
	open_pair(grid, index, other, time);
}

/* An element moves from its cells, if it has any, to others, and opens the pairs that come with them. */
static void place(Grid *grid, uint32_t index, const CellRange *range, double time)
{
	Item *item = &grid->item[index];
	const Surface *surface = grid->base.site.surface;
	CellRange old = item->range;
	bool was_entered = item->placed && !item->wide, wide = cells_count(range) > MOST_CELLS;
	grid->members.n = 0;
	if (item->placed && item->wide)
		leave_wide(grid, index);
	if (was_entered)
		visit_cells(grid, &old, wide ? NULL : range, index, leave_cell);
	if (wide)
		g_array_append_val(grid->wide, index);
	else
		visit_cells(grid, range, was_entered ? &old : NULL, index, enter_cell);
	item->range = *range;
	item->wide = wide;
	item->placed = true;
	mark_partners(grid, index);
	for (size_t i = 0; i < grid->members.n; i++)
		meet(grid, index, grid->members.member[i], time);
	for (guint i = 0; i < grid->wide->len; i++)
		meet(grid, index, g_array_index(grid->wide, uint32_t, i), time);
	for (uint32_t other = 0; wide && other < surface->n_elements; other++)
		meet(grid, index, other, time);
	if (!grid->base.site.grid.lazy)
		close_parted(grid, index);
}

/* --- Certificates ------------------------------------------------------------------------------------------------ */

static double look_again(const Grid *grid, const LatticeShape *shape, const CellRange *range, double failure, double time)
{
	return grid->base.site.grid.lazy ? failure : fmin(failure, lattice_leaving(&grid->lattice, shape, range, time));
}

/* The event comes at `when` or before. */
static void schedule(Grid *grid, uint32_t index, double when)
{
	Avi *avi = grid->base.site.avi;
	QueueHandle *event = &grid->item[index].event;
	double present = queue_time(avi->queue, *event);
	if (when == INFINITY || present <= when)
		return;
	if (!queue_update(avi->queue, *event, when))
		*event = avi_schedule(avi, when, AVI_CERTIFICATE, index * 2);
}

/* The cells of an element anew, and its event. */
static void refresh(Grid *grid, uint32_t index, double time)
{
	LatticeShape shape = shape_of(grid, index);
	CellRange range = lattice_cells(&grid->lattice, &shape, time);
	place(grid, index, &range, time);
	double failure = lattice_failure(&grid->lattice, &shape, &range, time);
	schedule(grid, index, look_again(grid, &shape, &range, failure, time));
}

static void lapse(void *context, uint32_t group)
{
	Grid *grid = context;
	if (grid->base.site.grid.lazy)
		g_array_append_val(grid->lapsed, group);
}

/* Pairs whose slabs have just been looked at: do they still share a cell? */
static void close_lapsed(Grid *grid, double time)
{
	for (guint i = 0; i < grid->lapsed->len; i++) {
		uint32_t group = g_array_index(grid->lapsed, uint32_t, i);
		if (!pair_at(grid, group)->open)
			continue;
		uint32_t a = pair_at(grid, group)->element[0], b = pair_at(grid, group)->element[1];
		LatticeShape one = shape_of(grid, a), other = shape_of(grid, b);
		CellRange p = lattice_cells(&grid->lattice, &one, time), q = lattice_cells(&grid->lattice, &other, time);
		if (cells_meet(&p, &q))
			continue;
		refresh(grid, a, time);
		refresh(grid, b, time);
		close_pair(grid, group);
	}
	g_array_set_size(grid->lapsed, 0);
}

static void act(Detector *detector, uint32_t id, double time, double *next)
{
	Grid *grid = (Grid *)detector;
	uint32_t index = id / 2;
	*next = INFINITY;
	if (id % 2) {
		slab_table_act(grid->table, id, time);
		close_lapsed(grid, time);
		return;
	}
	/* The event is taken off first: what follows schedules anew whatever is needed. */
	QueueHandle handle = grid->item[index].event;
	grid->item[index].event = (QueueHandle){0, 0};
	queue_remove(detector->site.avi->queue, handle);
	LatticeShape shape = shape_of(grid, index);
	const CellRange *range = &grid->item[index].range;
	double failure = lattice_failure(&grid->lattice, &shape, range, time);
	double when = look_again(grid, &shape, range, failure, time);
	grid->count.failed++;
	if (when > time)
		schedule(grid, index, when);
	else
		refresh(grid, index, time);
}

static void look_at(Grid *grid, uint32_t index, double time)
{
	Item *item = &grid->item[index];
	if (!item->active || item->stamp == grid->stamp)
		return;
	item->stamp = grid->stamp;
	grid->count.rescheduled++;
	LatticeShape shape = shape_of(grid, index);
	double failure = lattice_failure(&grid->lattice, &shape, &item->range, time);
	if (failure > time)
		schedule(grid, index, fmax(look_again(grid, &shape, &item->range, failure, time), nextafter(time, INFINITY)));
	else
		refresh(grid, index, time);
}

static void changed(Detector *detector, double time, const uint32_t *vertex, size_t n)
{
	Grid *grid = (Grid *)detector;
	grid->stamp++;
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = grid->vertex_begin[vertex[i]]; k < grid->vertex_begin[vertex[i] + 1]; k++)
			look_at(grid, grid->vertex_item[k], time);
	slab_table_changed(grid->table, time, vertex, n);
	close_lapsed(grid, time);
}

static size_t candidates(
    Detector *detector, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs)
{
	return slab_table_candidates(((Grid *)detector)->table, layer, bin, time, pairs);
}

static void measured(Detector *detector, uint32_t layer, uint16_t bin, double time, const double *gap)
{
	slab_table_measured(((Grid *)detector)->table, layer, bin, time, gap);
}

static size_t near(Detector *detector, double time, const ContactPair *const **pairs)
{
	return slab_table_near(((Grid *)detector)->table, time, pairs);
}

static void count(const Detector *detector, DetectorCount *out)
{
	*out = ((const Grid *)detector)->count;
	slab_table_count(((const Grid *)detector)->table, out);
}

/* --- Validation -------------------------------------------------------------------------------------------------- */

static double lasts_until(const Grid *grid, uint32_t index, double time)
{
	double until = queue_time(grid->base.site.avi->queue, grid->item[index].event);
	return isnan(until) ? time + 1.0 : fmin(until, time + 1.0);
}

/* Whether every corner is in its cells at a time. It is between two such times, too. */
static bool is_within(const Grid *grid, uint32_t index, double time)
{
	const Element *element = &grid->base.site.surface->element[index];
	const Item *item = &grid->item[index];
	for (int c = 0; c < element->corners; c++) {
		Vec3 at = flight_position(&grid->base.site.flight[element->vertex[c]], time);
		const double x[3] = {at.x, at.y, at.z};
		for (int axis = 0; axis < 3; axis++) {
			double low = item->range.low[axis] * grid->lattice.cell[axis];
			double high = (item->range.high[axis] + 1.0) * grid->lattice.cell[axis];
			if ((x[axis] - item->margin < low && item->range.low[axis] > -CELLS_MOST) ||
			    (x[axis] + item->margin > high && item->range.high[axis] < CELLS_MOST))
				return false;
		}
	}
	return true;
}

/* The primitive pairs of two elements that have no group: how many; and whether they stay apart as long as the elements are
 * certified to be in their cells. */
static char *survey(Grid *grid, uint32_t a, uint32_t b, double time, uint64_t *covered)
{
	ContactPair pairs[SURFACE_MOST_PAIRS];
	int n = surface_element_pairs(grid->base.site.surface, a, b, pairs);
	double until = fmin(lasts_until(grid, a, time), lasts_until(grid, b, time));
	if (n > 0 && cells_meet(&grid->item[a].range, &grid->item[b].range))
		return g_strdup_printf("elements %u and %u share a cell and have no slabs", a, b);
	*covered += (uint64_t)n;
	for (int i = 0; i < n; i++)
		if (!advance_stays_apart(&pairs[i], grid->base.site.flight, grid->base.site.layers->eta[1], time, until))
			return g_strdup_printf("cells certify too long: pair %u-%u-%u-%u, kind %d", pairs[i].vertex[0],
			    pairs[i].vertex[1], pairs[i].vertex[2], pairs[i].vertex[3], pairs[i].kind);
	return NULL;
}

static char *validate(Detector *detector, double time)
{
	Grid *grid = (Grid *)detector;
	uint32_t n = detector->site.surface->n_elements;
	uint64_t covered = 0;
	char *wrong = NULL;
	for (uint32_t a = 0; a < n && wrong == NULL; a++) {
		if (!grid->item[a].active)
			continue;
		if (!is_within(grid, a, time) || !is_within(grid, a, lasts_until(grid, a, time)))
			wrong = g_strdup_printf("element %u is outside of its cells", a);
		mark_partners(grid, a);
		for (uint32_t b = a + 1; b < n && wrong == NULL; b++)
			if (grid->item[b].mark != grid->mark && grid->item[b].active)
				wrong = survey(grid, a, b, time, &covered);
	}
	if (wrong == NULL)
		wrong = slab_table_validate(grid->table, time, &covered);
	g_autoptr(GArray) all = surface_all_pairs(detector->site.surface);
	if (wrong == NULL && covered != all->len)
		wrong = g_strdup_printf("%lu of %u pairs are covered", (unsigned long)covered, all->len);
	return wrong;
}

/* --- The detector ------------------------------------------------------------------------------------------------ */

static bool can_meet(const Surface *surface, uint32_t body)
{
	for (uint32_t other = 0; other < surface->world->bodies->len; other++)
		if (surface->meets[body * surface->world->bodies->len + other])
			return true;
	return false;
}

/* The mean size of what moves, with its margins, is a good cell: larger ones hold more than what is near, smaller ones are
 * crossed all the time. Sizes along axes differ: a sheet that lies flat has flat cells. */
static void choose_cells(Grid *grid, double time)
{
	const Surface *surface = grid->base.site.surface;
	const GridRule *rule = &grid->base.site.grid;
	double sum[3] = {0.0, 0.0, 0.0}, n = 0.0;
	for (uint32_t i = 0; i < surface->n_elements; i++) {
		const Element *element = &surface->element[i];
		if (!element->moves)
			continue;
		Vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3_scale(-1.0, low);
		for (int c = 0; c < element->corners; c++) {
			Vec3 x = flight_position(&grid->base.site.flight[element->vertex[c]], time);
			low = vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
			high = vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
		}
		sum[0] += high.x - low.x + 2.0 * grid->item[i].margin;
		sum[1] += high.y - low.y + 2.0 * grid->item[i].margin;
		sum[2] += high.z - low.z + 2.0 * grid->item[i].margin;
		n++;
	}
	const double given[3] = {rule->cell.x, rule->cell.y, rule->cell.z};
	for (int axis = 0; axis < 3; axis++) {
		double mean = n > 0.0 ? sum[axis] / n : 0.0;
		grid->lattice.cell[axis] = given[axis] > 0.0 ? given[axis] : fmax(mean, grid->base.site.layers->eta[1]);
	}
	grid->lattice.pad = 0.25 * grid->base.site.layers->eta[1];
}

static void forget(Grid *grid)
{
	uint32_t n = grid->base.site.surface->n_elements;
	for (uint32_t i = 0; i < n; i++)
		queue_remove(grid->base.site.avi->queue, grid->item[i].event);
	memset(grid->item, 0, n * sizeof *grid->item);
	slab_table_clear(grid->table);
	cells_clear(grid->cells);
	g_array_set_size(grid->wide, 0);
	g_array_set_size(grid->pair, 0);
	g_array_set_size(grid->lapsed, 0);
	grid->stamp = grid->mark = 0;
	grid->count.alive = 0;
}

static void start(Detector *detector, double time)
{
	Grid *grid = (Grid *)detector;
	const Surface *surface = detector->site.surface;
	forget(grid);
	for (uint32_t i = 0; i < surface->n_elements; i++) {
		Item *item = &grid->item[i];
		item->first_pair = NONE;
		item->margin = 0.5 * detector->site.layers->wake[1] + surface->half_thickness[surface->element[i].body];
		item->active = can_meet(surface, surface->element[i].body);
		grid->count.alive += item->active;
	}
	grid->count.most_alive = MAX(grid->count.most_alive, grid->count.alive);
	choose_cells(grid, time);
	for (uint32_t i = 0; i < surface->n_elements; i++)
		if (grid->item[i].active)
			refresh(grid, i, time);
	close_lapsed(grid, time);
}

static void list_elements(Grid *grid)
{
	const Surface *surface = grid->base.site.surface;
	uint32_t n = world_vertex_count(surface->world);
	grid->vertex_begin = g_new0(uint32_t, n + 2u);
	for (uint32_t i = 0; i < surface->n_elements; i++)
		for (int c = 0; c < surface->element[i].corners; c++)
			grid->vertex_begin[surface->element[i].vertex[c] + 2]++;
	for (uint32_t i = 2; i <= n; i++)
		grid->vertex_begin[i] += grid->vertex_begin[i - 1];
	grid->vertex_item = g_new(uint32_t, 3u * (size_t)surface->n_elements + 1u);
	for (uint32_t i = 0; i < surface->n_elements; i++)
		for (int c = 0; c < surface->element[i].corners; c++)
			grid->vertex_item[grid->vertex_begin[surface->element[i].vertex[c] + 1]++] = i;
}

static Detector *new(const DetectorSite *site)
{
	Grid *grid = g_new0(Grid, 1);
	grid->base = (Detector){&detector_grid, *site};
	grid->table = slab_table_new(site);
	slab_table_listen(grid->table, lapse, grid);
	grid->cells = cells_new();
	grid->item = g_new0(Item, site->surface->n_elements + 1u);
	grid->wide = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	grid->pair = g_array_new(FALSE, TRUE, sizeof(Pair));
	grid->lapsed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	list_elements(grid);
	return &grid->base;
}

static void free_grid(Detector *detector)
{
	Grid *grid = (Grid *)detector;
	forget(grid);
	slab_table_free(grid->table);
	cells_free(grid->cells);
	g_free(grid->item);
	g_free(grid->vertex_begin);
	g_free(grid->vertex_item);
	g_array_unref(grid->wide);
	g_array_unref(grid->pair);
	g_array_unref(grid->lapsed);
	g_free(grid->members.member);
	g_free(grid);
}

const DetectorClass detector_grid = {
    .name = "grid",
    .new = new,
    .free = free_grid,
    .start = start,
    .changed = changed,
    .act = act,
    .candidates = candidates,
    .measured = measured,
    .near = near,
    .count = count,
    .validate = validate,
};
