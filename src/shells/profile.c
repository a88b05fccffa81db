#include "shells/profile.h"
#include "core/real.h"
#include <glib.h>

Profile *profile_new(size_t n, const double *time, const double *value, bool smooth)
{
	Profile *profile = g_new0(Profile, 1);
	profile->n = n;
	profile->time = g_memdup2(time, n * sizeof(double));
	profile->value = g_memdup2(value, n * sizeof(double));
	profile->smooth = smooth;
	return profile;
}

void profile_free(Profile *profile)
{
	if (profile == NULL)
		return;
	g_free(profile->time);
	g_free(profile->value);
	g_free(profile);
}

double profile_locate(const double *times, size_t n, bool smooth, double time, size_t *index)
{
	if (time <= times[0]) {
		*index = 0;
		return 0.0;
	}
	size_t i = 0;
	while (i < n - 2 && time > times[i + 1])
		i++;
	*index = i;
	if (time >= times[i + 1])
		return 1.0;
	double fraction = (time - times[i]) / (times[i + 1] - times[i]);
	return smooth ? real_smoothstep(fraction) : fraction;
}

double profile_at(const Profile *profile, double time)
{
	if (profile->n == 1)
		return profile->value[0];
	size_t i;
	double fraction = profile_locate(profile->time, profile->n, profile->smooth, time, &i);
	return profile->value[i] + fraction * (profile->value[i + 1] - profile->value[i]);
}
