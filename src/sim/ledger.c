#include "sim/ledger.h"
#include <string.h>

typedef enum {
	UNIT_TIME,
	UNIT_ENERGY,
	UNIT_MOMENTUM,
	UNIT_ANGULAR_MOMENTUM
} UnitKind;

static const struct {
	const char *name;
	UnitKind unit;
} columns[LEDGER_N] = {
    [LEDGER_TIME] = {"time", UNIT_TIME},
    [LEDGER_KINETIC] = {"kinetic", UNIT_ENERGY},
    [LEDGER_STRETCHING] = {"stretching", UNIT_ENERGY},
    [LEDGER_BENDING] = {"bending", UNIT_ENERGY},
    [LEDGER_GRAVITATIONAL] = {"gravitational", UNIT_ENERGY},
    [LEDGER_CONTACT] = {"contact", UNIT_ENERGY},
    [LEDGER_TOTAL] = {"total", UNIT_ENERGY},
    [LEDGER_WORK_LOADS] = {"work_loads", UNIT_ENERGY},
    [LEDGER_WORK_WIND] = {"work_wind", UNIT_ENERGY},
    [LEDGER_WORK_SCRIPTS] = {"work_scripts", UNIT_ENERGY},
    [LEDGER_LOST_STRETCH_DAMPING] = {"lost_stretch_damping", UNIT_ENERGY},
    [LEDGER_LOST_BEND_DAMPING] = {"lost_bend_damping", UNIT_ENERGY},
    [LEDGER_LOST_MASS_DAMPING] = {"lost_mass_damping", UNIT_ENERGY},
    [LEDGER_LOST_RESTITUTION] = {"lost_restitution", UNIT_ENERGY},
    [LEDGER_LOST_FRICTION] = {"lost_friction", UNIT_ENERGY},
    [LEDGER_REMOVED] = {"removed", UNIT_ENERGY},
    [LEDGER_BALANCE] = {"balance", UNIT_ENERGY},
    [LEDGER_MOMENTUM] = {"momentum_x", UNIT_MOMENTUM},
    [LEDGER_MOMENTUM + 1] = {"momentum_y", UNIT_MOMENTUM},
    [LEDGER_MOMENTUM + 2] = {"momentum_z", UNIT_MOMENTUM},
    [LEDGER_ANGULAR_MOMENTUM] = {"angular_momentum_x", UNIT_ANGULAR_MOMENTUM},
    [LEDGER_ANGULAR_MOMENTUM + 1] = {"angular_momentum_y", UNIT_ANGULAR_MOMENTUM},
    [LEDGER_ANGULAR_MOMENTUM + 2] = {"angular_momentum_z", UNIT_ANGULAR_MOMENTUM},
    [LEDGER_IMPULSE] = {"impulse_x", UNIT_MOMENTUM},
    [LEDGER_IMPULSE + 1] = {"impulse_y", UNIT_MOMENTUM},
    [LEDGER_IMPULSE + 2] = {"impulse_z", UNIT_MOMENTUM},
    [LEDGER_ANGULAR_IMPULSE] = {"angular_impulse_x", UNIT_ANGULAR_MOMENTUM},
    [LEDGER_ANGULAR_IMPULSE + 1] = {"angular_impulse_y", UNIT_ANGULAR_MOMENTUM},
    [LEDGER_ANGULAR_IMPULSE + 2] = {"angular_impulse_z", UNIT_ANGULAR_MOMENTUM},
};

const char *ledger_name(int column)
{
	return columns[column].name;
}

const char *ledger_unit(int column, const UnitSystem *units)
{
	switch (columns[column].unit) {
	case UNIT_TIME:
		return units->time;
	case UNIT_MOMENTUM:
		return units->momentum;
	case UNIT_ANGULAR_MOMENTUM:
		return units->angular_momentum;
	case UNIT_ENERGY:
	default:
		return units->energy;
	}
}

int ledger_find(const char *name)
{
	for (int column = 0; column < LEDGER_N; column++)
		if (strcmp(columns[column].name, name) == 0)
			return column;
	return -1;
}

/* What the elements' forces would do in the time by which their clocks lag. */
typedef struct {
	const Flight *flight;
	double time;
	Vec3 *change; /* [length/s] (vertices) of the velocities */
	Account account;
	double contact; /* [energy] in the layers */
} Catching;

static void catch_vertex(Catching *catching, uint32_t vertex, Vec3 x, Vec3 impulse, bool external)
{
	Account *account = &catching->account;
	double inverse_mass = catching->flight[vertex].inverse_mass;
	catching->change[vertex] = vec3_madd(catching->change[vertex], inverse_mass, impulse);
	/* Momentum comes from outside by outer forces on what is free, and by inner ones from whoever holds the rest. */
	if (external == (inverse_mass == 0.0))
		return;
	double sign = external ? 1.0 : -1.0;
	account->impulse = vec3_madd(account->impulse, sign, impulse);
	account->angular_impulse = vec3_madd(account->angular_impulse, sign, vec3_cross(x, impulse));
}

static void catch_up(const Field *field, const FieldVisit *visit, void *data)
{
	for (int c = 0; c < field->class->corners; c++)
		catch_vertex(
		    data, visit->stencil[c], visit->x[c], vec3_scale(visit->lag, visit->force[c]), field->class->external);
}

static void catch_contact(const ContactVisit *visit, void *data)
{
	Catching *catching = data;
	const Penalty *penalty = visit->penalty;
	catching->contact += penalty->energy;
	for (int i = 0; i < penalty->n; i++) {
		const Flight *flight = &catching->flight[penalty->vertex[i]];
		Vec3 impulse = vec3_scale(visit->lag, penalty->force[i]);
		if (flight->inverse_mass == 0.0)
			catching->account.work[WORK_SCRIPTS] -= vec3_dot(impulse, flight->v);
		catch_vertex(catching, penalty->vertex[i], flight_position(flight, catching->time), impulse, false);
	}
}

/* What friction holds, from the side. Its work is of the mean of velocities before and after, as at a tick. */
static void catch_friction(const FrictionVisit *visit, void *data)
{
	Catching *catching = data;
	const ContactPair *pair = visit->pair;
	Vec3 impulse = vec3_scale(visit->lag, visit->force);
	double work = 0.0;
	for (int c = 0; c < distance_corners[pair->kind]; c++) {
		double w = visit->closest->weight[c];
		const Flight *flight = &catching->flight[pair->vertex[c]];
		Vec3 before = vec3_add(flight->v, catching->change[pair->vertex[c]]);
		work += w * vec3_dot(impulse, vec3_madd(before, 0.5 * w * flight->inverse_mass, impulse));
		if (flight->inverse_mass == 0.0)
			catching->account.work[WORK_SCRIPTS] -= w * vec3_dot(impulse, flight->v);
		catch_vertex(catching, pair->vertex[c], flight_position(flight, catching->time), vec3_scale(w, impulse), false);
	}
	catching->account.work[WORK_FRICTION] += work;
	Vec3 arm = vec3_scale(visit->closest->distance, visit->closest->normal);
	catching->account.angular_impulse = vec3_add(catching->account.angular_impulse, vec3_cross(arm, impulse));
}

/* Kinetic energy and momenta of the free vertices. */
static void add_motion(const Simulation *simulation, double time, const Vec3 *change, double *row)
{
	const World *world = simulation->scene->world;
	Vec3 momentum = vec3(0, 0, 0), angular = vec3(0, 0, 0);
	for (uint32_t i = 0; i < world_vertex_count(world); i++) {
		const Flight *flight = &simulation->flight[i];
		if (flight->inverse_mass == 0.0)
			continue;
		double mass = g_array_index(world->mass, double, i);
		Vec3 v = vec3_add(flight->v, change[i]);
		Vec3 p = vec3_scale(mass, v);
		row[LEDGER_KINETIC] += 0.5 * vec3_dot(p, v);
		momentum = vec3_add(momentum, p);
		angular = vec3_add(angular, vec3_cross(flight_position(flight, time), p));
	}
	memcpy(row + LEDGER_MOMENTUM, &momentum, sizeof momentum);
	memcpy(row + LEDGER_ANGULAR_MOMENTUM, &angular, sizeof angular);
}

static void add_stores(const Simulation *simulation, double time, double *row)
{
	static const int column[STORE_N] = {
	    [STORE_STRETCH] = LEDGER_STRETCHING, [STORE_BEND] = LEDGER_BENDING, [STORE_GRAVITY] = LEDGER_GRAVITATIONAL};
	for (guint i = 0; i < simulation->fields->len; i++) {
		const Field *field = simulation->fields->pdata[i];
		if (field->class->store != STORE_NONE)
			row[column[field->class->store]] += field_energy(field, simulation->flight, time);
	}
	row[LEDGER_TOTAL] = row[LEDGER_KINETIC] + row[LEDGER_STRETCHING] + row[LEDGER_BENDING] +
	                    row[LEDGER_GRAVITATIONAL] + row[LEDGER_CONTACT];
}

/* Where work is entered: put in, or taken out. */
static const struct {
	int column;
	double sign;
} entry[WORK_N] = {
    [WORK_LOADS] = {LEDGER_WORK_LOADS, 1.0},
    [WORK_WIND] = {LEDGER_WORK_WIND, 1.0},
    [WORK_SCRIPTS] = {LEDGER_WORK_SCRIPTS, 1.0},
    [WORK_STRETCH_DAMPING] = {LEDGER_LOST_STRETCH_DAMPING, -1.0},
    [WORK_BEND_DAMPING] = {LEDGER_LOST_BEND_DAMPING, -1.0},
    [WORK_MASS_DAMPING] = {LEDGER_LOST_MASS_DAMPING, -1.0},
    [WORK_RESTITUTION] = {LEDGER_LOST_RESTITUTION, -1.0},
    [WORK_FRICTION] = {LEDGER_LOST_FRICTION, -1.0},
    [WORK_REMOVAL] = {LEDGER_REMOVED, -1.0},
};

static void add_account(const Simulation *simulation, const Account *account, double *row)
{
	double sum = 0.0;
	for (int work = 0; work < WORK_N; work++) {
		double value = simulation->account.work[work] + account->work[work];
		row[entry[work].column] = entry[work].sign * value + 0.0; /* + 0.0: no minus zero */
		sum += value;
	}
	row[LEDGER_BALANCE] = row[LEDGER_TOTAL] - simulation->initial_total - sum;
	Vec3 impulse = vec3_add(simulation->account.impulse, account->impulse);
	Vec3 angular = vec3_add(simulation->account.angular_impulse, account->angular_impulse);
	memcpy(row + LEDGER_IMPULSE, &impulse, sizeof impulse);
	memcpy(row + LEDGER_ANGULAR_IMPULSE, &angular, sizeof angular);
}

void ledger_compute(const Simulation *simulation, double time, double row[LEDGER_N])
{
	memset(row, 0, LEDGER_N * sizeof *row);
	g_autofree Vec3 *change = g_new0(Vec3, world_vertex_count(simulation->scene->world));
	Catching catching = {.flight = simulation->flight, .time = time, .change = change};
	for (guint i = 0; i < simulation->fields->len; i++) {
		field_visit(simulation->fields->pdata[i], simulation->flight, time, catch_up, &catching);
		field_work_since(simulation->fields->pdata[i], simulation->flight, time, &catching.account);
	}
	if (simulation->contact != NULL) {
		contact_visit(simulation->contact, time, catch_contact, &catching);
		contact_visit_friction(simulation->contact, time, catch_friction, &catching);
	}
	row[LEDGER_TIME] = time;
	row[LEDGER_CONTACT] = catching.contact;
	add_motion(simulation, time, change, row);
	add_stores(simulation, time, row);
	add_account(simulation, &catching.account, row);
}

static Vec3 vector_in(const double *row, int column)
{
	return vec3(row[column], row[column + 1], row[column + 2]);
}

void ledger_settle_removal(Simulation *simulation, double time, const double before[LEDGER_N])
{
	double after[LEDGER_N], change[LEDGER_N];
	Account *account = &simulation->account;
	ledger_compute(simulation, time, after);
	for (int column = 0; column < LEDGER_N; column++)
		change[column] = after[column] - before[column];
	for (int work = 0; work < WORK_N; work++)
		account->work[work] -= entry[work].sign * change[entry[work].column];
	account->work[WORK_REMOVAL] += change[LEDGER_TOTAL];
	account->impulse = vec3_add(account->impulse,
	    vec3_sub(vector_in(change, LEDGER_MOMENTUM), vector_in(change, LEDGER_IMPULSE)));
	account->angular_impulse = vec3_add(account->angular_impulse,
	    vec3_sub(vector_in(change, LEDGER_ANGULAR_MOMENTUM), vector_in(change, LEDGER_ANGULAR_IMPULSE)));
}
