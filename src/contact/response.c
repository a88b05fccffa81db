#include "contact/response.h"

/* Of a layer's dashpot that stops an impact with e = 0, in units of critical damping: it gives back 0.05 of the speed. */
#define STOP_DAMPING 2.0
/* At rest the dashpot takes this share of a velocity in one step of the slowest forces, and no more than this share of
 * critical damping. More would answer kicks with kicks of its own, the more so as a vertex may have many dashpots. */
#define REST_DAMPING 0.2
#define MOST_REST_DAMPING 0.05
/* What carries a load is kicked by it at each tick of layer 1. An impact is faster than this times such a kick: its own kicks
 * are at most a quarter of its speed, by the steps of layers. */
#define LOADED 3.0
/* Of the tangential spring, in the same units; and its stiffness over that of the layer. */
#define SLIP_DAMPING 0.5
#define SLIP_STIFFNESS 1.0
/* Share of `rest_speed` below which a gap changes only as that of something that rests does, whatever its approach was. */
#define AT_REST 0.5
/* An approach has ended when the pair separates with this share of what restitution allows. Less is a vertex that
 * stopped a moment before its neighbours. */
#define SEPARATED 0.5

/* Keeps the speed of the latest approach. */
static void follow_approach(const ResponseInput *input, PairMemory *memory)
{
	double rate = input->rate_before;
	if (rate < 0.0) {
		memory->approach = memory->separating ? -rate : fmax(memory->approach, -rate);
		memory->separating = 0;
	} else if (rate > SEPARATED * input->law->restitution * memory->approach) {
		memory->separating = 1;
	}
}

static bool is_resting(const ResponseInput *input, const PairMemory *memory)
{
	return memory->approach < fmax(input->rest_speed, LOADED * input->first / input->mass) ||
	       fabs(memory->opening) < AT_REST * input->rest_speed;
}

/* Stops an impact: against the mean of the velocities before and after. */
static double stopping(const ResponseInput *input, double rate)
{
	double damping = input->step * 2.0 * STOP_DAMPING * sqrt(input->stiffness * input->mass);
	return fmax((input->elastic - damping * rate) / (1.0 + 0.5 * damping / input->mass), 0.0);
}

/* At rest velocities at a tick have had the kicks of some forces but not of others: a dashpot that went by them would push
 * all the time, and friction, which goes by the springs, would lack that part of the load. What the gap does from tick to
 * tick adds up to nothing. */
static double resting(const ResponseInput *input, const PairMemory *memory)
{
	if (!input->is_first || !isfinite(memory->opening))
		return input->elastic;
	double rate = fmin(REST_DAMPING / input->slow_step, 2.0 * MOST_REST_DAMPING * sqrt(input->stiffness / input->mass));
	double damping = rate * input->mass * input->step;
	return fmax(input->elastic - damping * memory->opening, 0.0);
}

static double normal_impulse(const ResponseInput *input, double rate, PairMemory *memory)
{
	double e = input->law->restitution;
	if (e >= 1.0 || input->mass == INFINITY) /* held against held: nobody feels it */
		return input->elastic;
	if (input->restitution_model == RESTITUTION_THESIS)
		return rate > 0.0 ? e * e * input->elastic : input->elastic;
	follow_approach(input, memory);
	if (is_resting(input, memory))
		return resting(input, memory);
	if (e == 0.0)
		return stopping(input, rate);
	double enough = input->mass * (e * memory->approach - rate);
	return fmin(input->elastic, fmax(enough, 0.0));
}

static Vec3 along_surface(const ResponseInput *input, Vec3 a)
{
	return vec3_madd(a, -vec3_dot(a, input->normal), input->normal);
}

static Vec3 shortened(Vec3 a, double most)
{
	double length = vec3_norm(a);
	return length > most ? vec3_scale(most / length, a) : a;
}

static Vec3 tangential_impulse(
    const ResponseInput *input, Vec3 sliding, double normal, const PairMemory *memory, Response *response)
{
	double mu = input->law->friction;
	if (input->friction_model == FRICTION_THESIS)
		return vec3_scale(-mu * normal, vec3_unit(sliding));
	double stiffness = SLIP_STIFFNESS * input->stiffness;
	/* The spring slips where layer 1, the last to let go, could not hold it: mu times depth there. At rest the dashpot's part
	 * of the normal force is a flutter about zero, which must not shake the anchor loose. */
	double depth = is_resting(input, memory) ? input->elastic : normal;
	double most = mu * depth * input->depth_ratio / (stiffness * input->step);
	Vec3 stretch = along_surface(input, input->stretch);
	response->slips = vec3_norm2(stretch) > most * most;
	response->stretch = shortened(stretch, most);
	if (response->slips)
		return vec3_scale(-mu * normal, vec3_unit(stretch));
	double damping = input->step * 2.0 * SLIP_DAMPING * sqrt(stiffness * input->mass_along);
	Vec3 pull = vec3_madd(vec3_scale(-stiffness * input->step, response->stretch), -damping, sliding);
	return shortened(vec3_scale(1.0 / (1.0 + 0.5 * damping / input->mass_along), pull), mu * normal);
}

/* Losses are impulse times velocity, in the mean of before and after. But velocities at a tick have had the kicks of some forces
 * and not of others: in a contact that lasts, dashpots that answer these would be said to lose on no way at all. There what losses
 * took from one tick of layer 1 to the next is put on the way that the pair has gone meanwhile, instead. In an impact velocities are
 * right: for layer 1 until a dashpot would have stopped it, for deeper layers, which turn it within a step of layer 1, as
 * long as any impact takes, which is a period of layer 1's spring at most. */
static void count_losses(const ResponseInput *input, PairMemory *memory, Response *response)
{
	PairWay *way = &memory->way;
	double share = input->is_first ? 0.5 : 1.0, unit = sqrt(input->mass / input->first_stiffness);
	int deep = !input->is_first;
	PairWay own = {.withheld = {share * (input->elastic - response->normal)}, .lost = {share * response->lost_restitution},
	    .pulled = vec3_scale(share, response->tangential), .rubbed = share * response->lost_friction};
	way->withheld[deep] += own.withheld[0];
	way->lost[deep] += deep ? own.lost[0] : own.withheld[0] * input->rate; /* the half before the tick */
	way->pulled = vec3_add(way->pulled, own.pulled);
	way->rubbed += own.rubbed;
	way->moved = vec3_add(way->moved, along_surface(input, vec3_sub(input->stretch, way->stretch)));
	way->stretch = own.stretch = input->stretch;
	if (deep)
		return;
	if (isfinite(memory->opening) && input->age * 2.0 * STOP_DAMPING > unit)
		response->lost_restitution += way->withheld[0] * memory->opening - way->lost[0];
	if (isfinite(memory->opening) && input->age > 2.0 * G_PI * unit) {
		response->lost_restitution += way->withheld[1] * memory->opening - way->lost[1];
		response->lost_friction -= vec3_dot(way->pulled, way->moved) / (input->time - way->time) + way->rubbed;
	}
	own.lost[0] = own.withheld[0] * (input->rate + response->normal / input->mass); /* and the half after it */
	own.gap = input->gap;
	own.time = input->time;
	*way = own;
}

Response response_of(const ResponseInput *input, PairMemory *memory)
{
	Response response = {0};
	response.normal = normal_impulse(input, input->rate, memory);
	response.lost_restitution = (input->elastic - response.normal) * (input->rate + 0.5 * response.normal / input->mass);
	if (input->law->friction > 0.0 && input->mass_along < INFINITY) {
		Vec3 sliding = along_surface(input, input->velocity);
		response.tangential = tangential_impulse(input, sliding, response.normal, memory, &response);
		Vec3 after = vec3_madd(sliding, 0.5 / input->mass_along, response.tangential);
		response.lost_friction = -vec3_dot(response.tangential, after);
	}
	count_losses(input, memory, &response);
	return response;
}

Vec3 response_hold(const ResponseInput *input, double size)
{
	double mu = input->law->friction, stiffness = SLIP_STIFFNESS * input->stiffness;
	Vec3 stretch = shortened(along_surface(input, input->stretch), mu * size * input->depth_ratio / stiffness);
	return shortened(vec3_scale(-stiffness, stretch), mu * size);
}
