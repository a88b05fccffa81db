/* A field: all elements of one force, on their clocks.
 *
 * Elements whose stable steps fall into the same bin share a clock and act together, as a super-element (thesis 8.2). It is
 * cut into chunks of elements that are near each other. One event computes, chunk by chunk, where its vertices are, the
 * forces of its elements from the state at that time, and their sums; vertices of one chunk only get theirs at once, and
 * those that chunks share when all chunks are done, summed in the order of chunks. So the result does not depend on the
 * number of threads, and all that a chunk works on stays in the fastest cache. With single elements each has a clock of its
 * own with its own exact step. */
#ifndef CINCH_SHELLS_FIELD_H
#define CINCH_SHELLS_FIELD_H

#include "avi/clock.h"
#include "avi/flight.h"
#include "core/team.h"
#include "shells/account.h"
#include "shells/force.h"
#include "shells/profile.h"
#include <glib.h>

/* Where a vertex was at a tick and what acted on it. Work is counted from tick to tick by the trapezoidal rule, force
 * times way: velocities at a tick have had the kicks of some forces but not of others, and would be biased. */
typedef struct {
	Vec3 x, force;
} Station;

/* Elements first_element ... of the field's arrays, sharing a clock. */
typedef struct {
	Clock clock;
	uint32_t first_element, n_elements;
	uint32_t first_chunk, n_chunks;
	uint32_t first_touched, n_touched; /* in `touched` and what runs along it */
	uint32_t first_shared, n_shared;   /* in `shared` */
	uint32_t first_held, n_held;       /* in `held` */
} Group;

/* Elements first_element ... of a group, and the vertices that they touch. */
typedef struct {
	uint32_t first_element, n_elements;
	uint32_t first_block;          /* of LANES elements: in `corner` and `block_parameter` */
	uint32_t first_local, n_local; /* in `local` and `local_part` */
} Chunk;

/* A vertex that several chunks of a group touch: entry of `touched`, and its parts of the sum in the order of chunks. */
typedef struct {
	uint32_t entry, first_part, n_parts;
} Shared;

typedef struct {
	const ForceClass *class;
	Profile *profile; /* of a load; NULL: always 1 */
	bool resists;     /* whether any element is damped, so that `measure` and `pull` are needed */
	bool drives;      /* it has no potential and measures nothing: its work is counted from `station` */
	bool plain;       /* use act() where there is a kernel, too. For tests: the bits are the same */

	size_t n_elements;
	uint32_t *stencil; /* (n_elements, corners) vertices, sorted by group; made by field_seal() */
	double *parameter; /* (n_elements, n_parameters), likewise */
	double *step;      /* [s] (n_elements) stable step of each element; until field_seal() */
	uint8_t *gone;     /* (n_elements) 1: of a body that was taken away, so that it does nothing; NULL: none is */
	uint32_t *origin;  /* (n_elements) the element's place in the order in which elements were added, likewise */

	size_t n_groups, n_chunks, n_blocks;
	Group *group; /* (n_groups) made by field_seal(); clocks advanced by field_tick() */
	Chunk *chunk; /* (n_chunks) made by field_seal() */

	size_t n_touched, n_held, n_shared, n_parts;
	uint32_t *touched;    /* (n_touched) vertices of each group, ascending; made by field_seal() */
	uint32_t *held;       /* (n_held) entries of `touched` that are held vertices; likewise */
	uint32_t *local;      /* (locals) entries of `touched` of each chunk, ascending; likewise */
	uint32_t *local_part; /* (locals) its place in `part`, + 1; 0: no other chunk touches it; likewise */
	Shared *shared;       /* (n_shared) likewise */
	uint16_t *corner;     /* (n_blocks, corners, LANES) as KernelBatch.corner; likewise */
	double *block_parameter; /* (n_blocks, n_parameters, LANES) `parameter` again, or zeros of what is gone; NULL: no kernel */
	uint32_t most_local;  /* vertices of a chunk */

	double *measure, *pull; /* (n_elements, n_measures) see ForceInput; NULL unless it resists; written by field_tick() */
	double (*part)[4];      /* [force] (n_parts) of the tick under way; likewise */
	double *chunk_work;     /* [energy] (n_chunks) of resistance in the tick under way; likewise */
	Vec3 *sum;              /* [momentum] (touched) of held vertices, and of all in an external force; NULL where there are none; likewise */
	double *work;           /* [energy] (touched) since the tick before; NULL unless it drives; likewise */
	Station *station;       /* (touched) NULL unless it drives; likewise */
	Station *held_station;  /* (held) likewise */
	double *scratch;        /* (n_scratch, rows) where a thread works on a chunk; likewise */
	unsigned n_scratch;
	uint64_t n_evaluations; /* of elements, since the start */
	double seconds;         /* of wall time in field_tick() */
	Team team;              /* whether threads pay here; the motion does not depend on it */

	GArray *building_stencil, *building_parameter; /* until field_enter() */
	double *frequency2; /* [1/s^2] (vertices) assembled stiffness over mass; from field_enter() to field_seal() */
} Field;

typedef enum {
	STEPPING_SUPER_ELEMENTS, /* elements of one bin share a clock */
	STEPPING_ELEMENTS,       /* one event per element */
	STEPPING_GLOBAL          /* one step for everything: the synchronous baseline */
} Stepping;

typedef struct {
	Stepping stepping;
	double safety;    /* fraction of the stability limit 2/omega */
	double load_step; /* [s] step of forces that have no stability limit */
	double most_step; /* [s] no clock is slower than this */
} StepRule;

Field *field_new(const ForceClass *class);
void field_free(Field *field);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Field, field_free)
void field_add(Field *field, const uint32_t *stencil, const double *parameter);

/* How fast the forces of all fields together can make each vertex swing: what the clocks of one field must know of the
 * others. */
typedef struct {
	double *frequency2; /* [1/s^2] (vertices) assembled stiffness of all fields over mass; written by field_enter() */
	double *strongest;  /* [1/s^2] (vertices) the part of the strongest field; likewise */
	double *relaxation; /* [s] (vertices) the least relaxation time among that field's elements there; likewise */
} Spectrum;

/* For its files: parts of the arrays of elements. */
static inline const uint32_t *field_stencil(const Field *field, size_t element)
{
	return field->stencil + element * (size_t)field->class->corners;
}

static inline const double *field_parameter(const Field *field, size_t element)
{
	return field->parameter + element * (size_t)field->class->n_parameters;
}

/* How many measures are remembered. */
static inline size_t field_memories(const Field *field)
{
	return field->resists ? field->n_elements * (size_t)field->class->n_measures : 0;
}

/* Writes `block_parameter`. For field_seal() and field_leave_out(). */
void field_set_blocks(Field *field);
/* Measures as they are one step before time zero, had the motion always been as it is now. For field_seal(). */
void field_remember(Field *field, const Flight *flight);

/* Adds the field's part to the spectrum. Called once for each field, before field_find_steps() for any. */
void field_enter(Field *field, const Flight *flight, const Vec3 *rest, Spectrum *spectrum, size_t n_vertices);

/* Sets `step` of each element, and returns the smallest. The limits are derived at the top of field_step.c. */
double field_find_steps(Field *field, const StepRule *rule, const Spectrum *spectrum);

/* Sorts the elements into groups. With STEPPING_GLOBAL every clock has the step `global_step`. */
void field_seal(Field *field, const StepRule *rule, double global_step, const Flight *flight);

/* The next tick of a group: impulses on its vertices, entries in the account. Moves its clock on. */
bool field_tick(Field *field, uint32_t group, Flight *flight, Account *account, unsigned threads, GError **error);

/* Clocks, memories and stations as they would be at `time` had the motion always been as it is then: where those of the
 * past do not fit, because elements or steps have been changed. What the next tick will count of the time before is taken
 * from the account. */
void field_restart(Field *field, const Flight *flight, double time, Account *account);

/* From now on the elements of vertices that are gone (by vertex) do nothing and store nothing; the others do again. What
 * has to be counted of them until now is the caller's. */
void field_leave_out(Field *field, const uint8_t *gone, const Flight *flight);

/* Bytes that the field holds. */
size_t field_memory(const Field *field);

/* Stored energy at a time. */
double field_energy(const Field *field, const Flight *flight, double time);

/* Enters the work from each clock's last tick to `time`, as field_tick() would. Stores nothing in the field. */
void field_work_since(const Field *field, const Flight *flight, double time, Account *account);

/* Calls visit() for each element with the forces that it has at `time`, and the lag of its clock then. Stores nothing. */
typedef struct {
	const uint32_t *stencil; /* (corners) */
	const Vec3 *x;           /* (corners) */
	const Vec3 *force;       /* (corners) with and without potential */
	double lag;              /* [s] clock_lag() */
} FieldVisit;
typedef void FieldVisitor(const Field *field, const FieldVisit *visit, void *data);
void field_visit(const Field *field, const Flight *flight, double time, FieldVisitor *visitor, void *data);

#endif
