/* What the scene says about contact. */
#ifndef CINCH_CONTACT_RULE_H
#define CINCH_CONTACT_RULE_H

#include "contact/response.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
	DETECT_NAIVE, /* certificates, every touched one rescheduled */
	DETECT_BRUTE, /* no certificates: every pair examined */
	DETECT_TUBE,  /* vertices in tubes around straight lines */
	DETECT_CONE,  /* certificates that last while velocities change a little */
	DETECT_GRID   /* certificates for staying in the cells of a grid */
} Detect;

/* How a grid is cut, and left. None of this changes the motion. */
typedef struct {
	Vec3 cell; /* [length] of a cell along each axis; 0: from the elements */
	bool lazy; /* cells are left when something else happens, without events of their own */
} GridRule;

/* How detectors by certificates find what is near. */
typedef enum {
	BROAD_AABB,
	BROAD_DOP8, /* in the plane of x and y */
	BROAD_DOP18,
	BROAD_DOP26,
	BROAD_SPHERE,
	BROAD_GRID
} BroadPhase;

/* How certificates are kept that use velocity cones. None of this changes the motion. */
typedef struct {
	BroadPhase broad_phase;
	bool short_circuit;  /* of bounds: the first axis that certifies for long enough will do */
	bool adaptive_axes;  /* of bounds: axes that were useful come first */
	bool element_slabs;  /* elements that are near have one slab until they come closer, not one for each primitive pair */
	bool element_forces; /* layers wake for two elements as a whole */
	bool from_last_feature; /* closest points of elements are looked for from where they were on */
	bool all_or_nothing; /* of slabs: every velocity may change by the same speed, and all are made anew when one has changed by more */
	double width;        /* [length/s] that speed; 0: as it turns out to be best */
	double quality_loss; /* share of a certificate's interval that is given up so that velocities may change: kds/cone.h */
} CertificateRule;

typedef struct {
	uint32_t a, b; /* bodies, a < b */
} BodyPair;

typedef struct {
	uint32_t a, b; /* materials */
	ContactLaw law;
} MaterialLaw;

typedef struct {
	bool enabled;
	double eta1;         /* [length] thickness of layer 1; 0: from the meshes */
	double r1;           /* [force/length] stiffness of layer 1; 0: from `speed` */
	double speed;        /* [length/s] at which layer 1 alone stops the mean vertex; where r1 is not given */
	int eta_quarters;    /* eta(l) = eta1 l^(-eta_quarters/4) */
	int r_quarters;      /* r(l) = r1 l^(r_quarters/4) */
	uint32_t max_layer;  /* where a run stops */
	double safety;       /* fraction of the stability limit of a crowded vertex */
	double accuracy;     /* divides all steps of layers */
	Detect detect;
	bool near_field;     /* tubes prove neighbours in flat sheets apart together: chart.h */
	CertificateRule certificates;
	GridRule grid;
	bool valence_shares; /* every pair of elements gives its share of a primitive pair: penalty.h */
	double rebuild;      /* [s] mean interval at which all detection state is thrown away; 0: never (for tests) */
	GArray *exclude;     /* BodyPair: bodies that do not meet */
	ContactLaw law;      /* of materials that have none of their own */
	GArray *laws;        /* MaterialLaw: of pairs of materials */
	RestitutionModel restitution_model;
	FrictionModel friction_model;
	double rest_speed;   /* [length/s] below which contact is at rest in any case, see response.h */
	double gravity;      /* [length/s^2] whose kicks shake what rests, ... */
	double slow_step;    /* [s] ... once in this time, or in a step of the layer if that is longer */
	bool no_self;        /* bodies do not meet themselves; per body: Body.no_self */
} ContactRule;

#endif
