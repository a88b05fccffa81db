/* A factor that varies in time: through (time, value) points, straight or smooth (no slope at the points) between them,
 * constant before the first and after the last. */
#ifndef CINCH_SHELLS_PROFILE_H
#define CINCH_SHELLS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	size_t n;
	double *time;  /* [s] (n) ascending */
	double *value; /* (n) */
	bool smooth;
} Profile;

/* Copies n points. */
Profile *profile_new(size_t n, const double *time, const double *value, bool smooth);
void profile_free(Profile *profile);
double profile_at(const Profile *profile, double time);

/* Where `time` falls among n ascending times: *index of the interval [i, i+1] and the fraction of it, eased when smooth.
 * Before the first point: index 0, fraction 0; after the last: index n - 2, fraction 1. n is at least 2. */
double profile_locate(const double *times, size_t n, bool smooth, double time, size_t *index);

#endif
