/* What contact takes away: restitution and friction, for one pair at one tick of one layer.
 *
 * A tick goes through its pairs one after the other, in the order of their keys, and each sees the velocities that those
 * before it have left. So a vertex in a hundred pairs is slowed down once, not a hundred times, and no loss, computed
 * implicitly for its pair, can put energy in.
 *
 * Restitution e is the ratio of the speeds of separation and approach. Approach is elastic. In separation the layers push
 * only until the pair separates with e times the speed of its approach; what they still hold then is lost. That gives e
 * whatever the speed, the depth and the number of pairs. Slow contact is at rest: forces of other clocks shake it by their
 * kicks, which are no impacts; below `rest_speed`, or below what the load that it carries kicks it by, layers push
 * elastically and a weak dashpot in layer 1 takes what moves.
 * For e = 0 a strong dashpot in every layer stops an impact.
 *
 * Friction is a spring along the surface, one for the pair, that slips where its force is mu times the normal force. */
#ifndef CINCH_CONTACT_RESPONSE_H
#define CINCH_CONTACT_RESPONSE_H

#include "contact/memory.h"

typedef enum {
	RESTITUTION_SPEED, /* as above */
	RESTITUTION_THESIS /* the force of separation is e^2 of that of approach */
} RestitutionModel;

typedef enum {
	FRICTION_SPRING, /* as above */
	FRICTION_THESIS  /* mu times the normal force against the velocity, whatever it is: may reverse it */
} FrictionModel;

typedef struct {
	double restitution, friction;
} ContactLaw;

typedef struct {
	const ContactLaw *law;
	RestitutionModel restitution_model;
	FrictionModel friction_model;
	double rest_speed; /* [length/s] */
	double slow_step;  /* [s] of the slowest forces */
	double step;       /* [s] that the tick stands for */
	double time, age;  /* [s] now, and of the contact */
	double gap;        /* [length] */
	bool is_first;     /* of layer 1 */
	double stiffness;  /* [force/length] of the layer, with the pair's weight */
	double elastic;    /* [momentum] that the layer would give without losses, */
	double first;      /* [momentum] and that layer 1 gives at a tick, at this gap */
	double first_stiffness; /* [force/length] of layer 1 */
	double depth_ratio; /* how deep the gap is in layer 1 over how deep it is in this layer, at least 1 */
	double mass;       /* [mass] effective, against the force */
	double mass_along; /* [mass] effective, along the surface */
	double rate;       /* [length/s] at which the gap opens, */
	double rate_before; /* [length/s] and did before the tick: contacts that act first do not hide from others how fast it is */
	Vec3 normal;
	Vec3 velocity;     /* [length/s] of the first primitive relative to the second, at the closest points */
	Vec3 stretch;      /* [length] of the tangential spring; what of it is along the normal does not count */
} ResponseInput;

typedef struct {
	double normal;   /* [momentum] along the normal */
	Vec3 tangential; /* [momentum] */
	bool slips;      /* the spring is anchored anew, */
	Vec3 stretch;    /* [length] with this stretch */
	double lost_restitution, lost_friction; /* [energy] */
} Response;

Response response_of(const ResponseInput *input, PairMemory *memory);

/* The force of the tangential spring alone, where the normal force is `size`. Of the input it needs law, stiffness, depth_ratio,
 * normal and stretch. */
Vec3 response_hold(const ResponseInput *input, double size);

#endif
