#include "look/colour.h"
#include <math.h>

/* Cloth, not signals: alike in strength, and different also in their greys. */
static const uint32_t palette[] = {0xd2694a, 0x3f8f94, 0xe3b04b, 0x6478b4, 0x86a96b, 0x9a6596, 0xc98aa0, 0x5d6d7e};

/* Its lightness falls evenly; where nothing happens cloth is pale, and shades still show on it. */
const uint32_t colour_stops[COLOUR_STOPS] = {
    0xf1ede2, 0xfbdcae, 0xfcbf7c, 0xf99a5b, 0xec6f4f, 0xcf4859, 0xa42c66, 0x711f6a, 0x3f1a5b};

Colour colour_of_bytes(uint32_t bytes)
{
	return (Colour){image_decode((uint8_t)(bytes >> 16)), image_decode((uint8_t)(bytes >> 8)), image_decode((uint8_t)bytes)};
}

Colour colour_mix(Colour a, Colour b, float share)
{
	return (Colour){a.r + share * (b.r - a.r), a.g + share * (b.g - a.g), a.b + share * (b.b - a.b)};
}

uint32_t colour_body(size_t i)
{
	return palette[i % G_N_ELEMENTS(palette)];
}

uint32_t colour_held(void)
{
	return 0xc4c1b8;
}

bool colour_is_held(const Selection *selection, size_t b)
{
	const ArchiveHeader *header = &selection->archive->header;
	const ArchiveBody *body = &header->bodies[selection->body[b]];
	bool held = true;
	for (uint32_t i = 0; i < body->n_vertices && held; i++)
		held = header->held[body->first_vertex + i] != 0;
	return held;
}

uint32_t *colour_bodies(const Selection *selection)
{
	uint32_t *colours = g_new(uint32_t, selection->n_bodies + 1);
	size_t moving = 0;
	for (size_t b = 0; b < selection->n_bodies; b++)
		colours[b] = colour_is_held(selection, b) ? colour_held() : colour_body(moving++);
	return colours;
}

static float mix_bytes(uint32_t a, uint32_t b, int shift, float share)
{
	float mixed = (1.0f - share) * (float)((a >> shift) & 255) + share * (float)((b >> shift) & 255);
	return image_decode((uint8_t)lrintf(mixed));
}

Colour colour_scale(float share)
{
	float place = (COLOUR_STOPS - 1) * fminf(fmaxf(share, 0.0f), 1.0f);
	int stop = (int)fminf(place, COLOUR_STOPS - 2);
	uint32_t a = colour_stops[stop], b = colour_stops[stop + 1];
	float part = place - (float)stop;
	return (Colour){mix_bytes(a, b, 16, part), mix_bytes(a, b, 8, part), mix_bytes(a, b, 0, part)};
}
