/* What has gone in and out since the start: work by cause, and the momentum that came from outside. Part of the state:
 * a run that is resumed goes on counting from here. */
#ifndef CINCH_SHELLS_ACCOUNT_H
#define CINCH_SHELLS_ACCOUNT_H

#include "core/vec.h"
#include "shells/force.h"

typedef struct {
	double work[WORK_N];  /* [energy] done on the free vertices and on what is stored, by cause */
	Vec3 impulse;         /* [momentum] given to the free vertices by gravity, loads, drag, pins and scripts */
	Vec3 angular_impulse; /* [angular momentum] about the origin, by the same */
} Account;

#endif
