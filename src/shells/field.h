/* A field: all elements of one force, on their clocks.
 *
 * Elements whose stable steps fall into the same bin share a clock and act together, as a super-element (thesis 8.2):
 * one event computes the impulses of its elements from the state at its time, then sums them per vertex in the order of
 * the elements. So the result does not depend on the number of threads. With single elements each has a clock of its own
 * with its own exact step. */
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
	uint32_t first_touched, n_touched; /* in `touched` and what runs along it */
	uint32_t first_held, n_held;       /* in `held` */
} Group;

typedef struct {
	const ForceClass *class;
	Profile *profile; /* of a load; NULL: always 1 */
	bool lossy;       /* whether any element has a loss, so that velocities and `loss` are needed */

	size_t n_elements;
	uint32_t *stencil; /* (n_elements, corners) vertices, sorted by group; made by field_seal() */
	double *parameter; /* (n_elements, n_parameters), likewise */
	double *step;      /* [s] (n_elements) stable step of each element, likewise */
	uint8_t *gone;     /* (n_elements) 1: of a body that was taken away, so that it does nothing; NULL: none is */
	uint32_t *origin;  /* (n_elements) the element's place in the order in which elements were added, likewise */

	size_t n_groups;
	Group *group; /* (n_groups) made by field_seal(); clocks advanced by field_tick() */

	size_t n_touched, n_held;
	uint32_t *touched;    /* vertices of each group, ascending; made by field_seal() */
	uint32_t *slot_begin; /* (touched + 1) first of the vertex's slots; likewise */
	uint32_t *slot;       /* (n_elements * corners) element * corners + corner, ascending per vertex; likewise */
	uint32_t *held;       /* entries of `touched` that are held vertices; likewise */

	Vec3 *impulse;    /* [momentum] (n_elements * corners) of the tick under way; written by field_tick() */
	Vec3 *loss;       /* [momentum] the part without potential; NULL unless lossy; likewise */
	double *memory;   /* (n_elements, n_measures) see ForceInput; NULL when there is none; written by field_tick() */
	Vec3 *sum;        /* [momentum] (touched) summed impulse; likewise */
	double *work;     /* [energy] (touched) of the loss since the tick before; NULL unless lossy; likewise */
	Station *station; /* (touched) of the loss; NULL unless lossy; likewise */
	Station *held_station; /* (held) of the whole force; likewise */
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

/* Adds the field's part to the spectrum. Called once for each field, before field_find_steps() for any. */
void field_enter(Field *field, const Flight *flight, const Vec3 *rest, Spectrum *spectrum, size_t n_vertices);

/* Sets `step` of each element, and returns the smallest. The limits are derived at the top of field_step.c. */
double field_find_steps(Field *field, const StepRule *rule, const Spectrum *spectrum);

/* Sorts the elements into groups. With STEPPING_GLOBAL every clock has the step `global_step`. */
void field_seal(Field *field, const StepRule *rule, double global_step, const Flight *flight);

/* The next tick of a group: impulses on its vertices, entries in the account. Moves its clock on. */
bool field_tick(Field *field, uint32_t group, Flight *flight, Account *account, unsigned threads, GError **error);

/* Clocks, memories and stations as they would be at `time` had the motion always been as it is then: where those of the
 * past do not fit, because elements or steps have been changed. */
void field_restart(Field *field, const Flight *flight, double time);

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
	const Vec3 *force;       /* (corners) total force, with and without potential */
	const Vec3 *loss;        /* (corners) the part without potential */
	double lag;              /* [s] clock_lag() */
} FieldVisit;
typedef void FieldVisitor(const Field *field, const FieldVisit *visit, void *data);
void field_visit(const Field *field, const Flight *flight, double time, FieldVisitor *visitor, void *data);

#endif
