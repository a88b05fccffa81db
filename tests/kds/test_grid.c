/* The kinetic grid never lies: at random times of runs in which much touches, every element is in its cells until its
 * certificate ends, and all who share a cell have slabs. Grids broken on purpose fail here or give another motion than brute
 * force. */

/* This program has the grid's source files in it, in place of the library's, with a few calls going through functions that
 * can be broken. */
#include "kds/cells.h"
#include "kds/lattice.h"
#include "kds/slab_table.h"
#include "support/mutants.h"

typedef enum {
	BROKEN_NOTHING = MUTANTS_NONE,
	BROKEN_LATE,      /* elements are said to stay in their cells for 10% longer */
	BROKEN_MARGIN,    /* the margin of an element is left out when its cells are found */
	BROKEN_FORGOTTEN, /* one cell in three is not entered */
	BROKEN_PARTED,    /* pairs are closed whose cells only just meet */
	BROKEN_N
} Broken;

static double honest_failure(const Lattice *lattice, const LatticeShape *shape, const CellRange *range, double time);
static CellRange honest_cells(const Lattice *lattice, const LatticeShape *shape, double time);
static void honest_add(Cells *cells, const int32_t cell[3], uint32_t member);

#define lattice_failure honest_failure
#define lattice_cells honest_cells
#include "../src/kds/lattice.c"
#undef lattice_failure
#undef lattice_cells

double lattice_failure(const Lattice *lattice, const LatticeShape *shape, const CellRange *range, double time)
{
	LatticeShape bare = *shape;
	bare.margin = mutants_broken == BROKEN_MARGIN ? 0.0 : shape->margin;
	double failure = honest_failure(lattice, &bare, range, time);
	bool later = mutants_broken == BROKEN_LATE && failure != INFINITY && failure != -INFINITY;
	return later ? time + 1.1 * (failure - time) : failure;
}

CellRange lattice_cells(const Lattice *lattice, const LatticeShape *shape, double time)
{
	LatticeShape bare = *shape;
	bare.margin = mutants_broken == BROKEN_MARGIN ? 0.0 : shape->margin;
	return honest_cells(lattice, &bare, time);
}

#define cells_add honest_add
#include "../src/kds/cells.c"
#undef cells_add
#undef NONE

void cells_add(Cells *cells, const int32_t cell[3], uint32_t member)
{
	if (mutants_broken != BROKEN_FORGOTTEN || (cell[0] + cell[1] + cell[2] + 9 * CELLS_MOST) % 3 != 0)
		honest_add(cells, cell, member);
}

static int breakable_meet(const CellRange *a, const CellRange *b)
{
	CellRange less = *a;
	if (mutants_broken == BROKEN_PARTED && less.low[0] < less.high[0])
		less.high[0]--;
	return cells_meet(&less, b);
}
#define cells_meet breakable_meet
#include "../src/kds/detector_grid.c"
#undef cells_meet

/* Grids besides the usual one, which is lazy: active; and with given cells, which are too large along one axis. */
static const char *const kinds[] = {
    "'detect': 'grid', 'removal': 'active'",
    "'detect': 'grid', 'removal': 'active', 'cell': [0.3, 0.05, 0.04]",
};

/* Cells until nobody is left in them: as many as a table of all cells would say. */
Test(grid, cells_know_their_members)
{
	enum { SIDE = 12, MEMBERS = 40, STEPS = 40000 };
	static bool in[SIDE][SIDE][SIDE][MEMBERS];
	Cells *cells = cells_new();
	CellMembers found = {0};
	uint64_t seed = 3;
	for (int step = 0; step < STEPS; step++) {
		int32_t cell[3];
		for (int axis = 0; axis < 3; axis++)
			cell[axis] = (int32_t)scenes_random(&seed, 0.0, SIDE);
		uint32_t member = (uint32_t)scenes_random(&seed, 0.0, MEMBERS);
		const int32_t far[3] = {cell[0] - CELLS_MOST, cell[1] - SIDE / 2, CELLS_MOST - cell[2]};
		bool *is_in = &in[cell[0]][cell[1]][cell[2]][member];
		(*is_in ? cells_remove : cells_add)(cells, far, member);
		*is_in = !*is_in;
		size_t expected = 0;
		for (int i = 0; i < MEMBERS; i++)
			expected += in[cell[0]][cell[1]][cell[2]][i];
		found.n = 0;
		cells_collect(cells, far, &found);
		cr_assert_eq(found.n, expected, "step %d: %zu members, not %zu", step, found.n, expected);
		for (size_t i = 0; i < found.n; i++)
			cr_assert(in[cell[0]][cell[1]][cell[2]][found.member[i]]);
	}
	g_free(found.member);
	cells_free(cells);
}

Test(grid, never_lies, .timeout = 600)
{
	mutants_check_honest("grid");
	for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
		for (size_t i = 0; i < G_N_ELEMENTS(contact_scenes); i++) {
			g_autofree char *hash = NULL, *wrong = mutants_run(&contact_scenes[i], kinds[kind], true, &hash);
			cr_assert_null(wrong, "%s, %s: %s", kinds[kind], contact_scenes[i].name, wrong);
		}
}

Test(grid, honest_ones_pass, .timeout = 600)
{
	mutants_check_caught("grid", BROKEN_NOTHING, true, "nothing broken");
}

Test(grid, late_certificates_are_caught, .timeout = 600)
{
	/* They are late by less than the waking distance has to spare. */
	mutants_check_caught("grid", BROKEN_LATE, false, "10% late");
}

Test(grid, cells_without_margin_are_caught, .timeout = 600)
{
	mutants_check_caught("grid", BROKEN_MARGIN, true, "no margin");
}

Test(grid, forgotten_cells_are_caught, .timeout = 600)
{
	mutants_check_caught("grid", BROKEN_FORGOTTEN, true, "cells forgotten");
}

Test(grid, pairs_closed_too_early_are_caught, .timeout = 600)
{
	mutants_check_caught("grid", BROKEN_PARTED, true, "pairs closed too early");
}
