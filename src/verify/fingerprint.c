#include "verify/fingerprint.h"
#include <inttypes.h>
#include <stdio.h>

/* XXH64's last mix: every bit of a lane reaches every bit of its digits. */
static uint64_t avalanche(uint64_t lane)
{
	lane = (lane ^ lane >> 33) * FINGERPRINT_P2;
	lane = (lane ^ lane >> 29) * FINGERPRINT_P3;
	return lane ^ lane >> 32;
}

void fingerprint_text(const Fingerprint *fingerprint, char text[FINGERPRINT_DIGITS + 1])
{
	for (int i = 0; i < 4; i++)
		snprintf(text + 16 * i, 17, "%016" PRIx64, avalanche(fingerprint->lane[i]));
}
