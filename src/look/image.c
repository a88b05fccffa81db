#include "look/image.h"
#include <math.h>
#include <string.h>
#include <zlib.h>

enum { ENCODE_STEPS = 4096, PNG_LEVEL = 6 };

Image *image_new(int width, int height)
{
	Image *image = g_new0(Image, 1);
	image->width = width;
	image->height = height;
	image->rgb = g_malloc0((gsize)width * (gsize)height * 3);
	return image;
}

void image_free(Image *image)
{
	if (image == NULL)
		return;
	g_free(image->rgb);
	g_free(image);
}

static float encode_exactly(float linear)
{
	return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
}

uint8_t image_encode(float linear)
{
	static uint8_t table[ENCODE_STEPS + 1];
	static gsize made = 0;
	if (g_once_init_enter(&made)) {
		/* Steps in the square root: the dark end is where bytes are close to each other. */
		for (int i = 0; i <= ENCODE_STEPS; i++) {
			float root = (float)i / ENCODE_STEPS;
			table[i] = (uint8_t)lrintf(255.0f * encode_exactly(root * root));
		}
		g_once_init_leave(&made, 1);
	}
	float root = sqrtf(fminf(fmaxf(linear, 0.0f), 1.0f));
	return table[(int)(root * ENCODE_STEPS + 0.5f)];
}

float image_decode(uint8_t byte)
{
	float encoded = (float)byte / 255.0f;
	return encoded <= 0.04045f ? encoded / 12.92f : powf((encoded + 0.055f) / 1.055f, 2.4f);
}

static uint8_t *pixel(Image *image, int x, int y)
{
	return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

void image_set(Image *image, int x, int y, Colour colour)
{
	uint8_t *bytes = pixel(image, x, y);
	bytes[0] = image_encode(colour.r);
	bytes[1] = image_encode(colour.g);
	bytes[2] = image_encode(colour.b);
}

/* In the encoded bytes, as the eye sees it: text gets no heavier on dark ground than on light. */
void image_blend(Image *image, int x, int y, Colour colour, float opacity)
{
	if (x < 0 || y < 0 || x >= image->width || y >= image->height || opacity <= 0.0f)
		return;
	uint8_t *bytes = pixel(image, x, y);
	const uint8_t over[3] = {image_encode(colour.r), image_encode(colour.g), image_encode(colour.b)};
	float share = fminf(opacity, 1.0f);
	for (int c = 0; c < 3; c++)
		bytes[c] = (uint8_t)lrintf((1.0f - share) * bytes[c] + share * over[c]);
}

static void append_number(GByteArray *bytes, uint32_t value)
{
	uint32_t ordered = GUINT32_TO_BE(value);
	g_byte_array_append(bytes, (const guint8 *)&ordered, sizeof ordered);
}

static void append_chunk(GByteArray *png, const char *type, const uint8_t *data, size_t length)
{
	append_number(png, (uint32_t)length);
	g_byte_array_append(png, (const guint8 *)type, 4);
	if (length > 0)
		g_byte_array_append(png, data, (guint)length);
	uLong sum = crc32(crc32(0, NULL, 0), png->data + png->len - length - 4, (uInt)(length + 4));
	append_number(png, (uint32_t)sum);
}

/* Each row as the difference from the pixel on its left (PNG's filter 1), which packs smooth shades well. */
static uint8_t *filter_rows(const Image *image, size_t *length)
{
	size_t row = 3 * (size_t)image->width;
	*length = (row + 1) * (size_t)image->height;
	uint8_t *filtered = g_malloc(*length);
	for (int y = 0; y < image->height; y++) {
		const uint8_t *in = image->rgb + (size_t)y * row;
		uint8_t *out = filtered + (size_t)y * (row + 1);
		*out++ = 1;
		for (size_t i = 0; i < row; i++)
			out[i] = (uint8_t)(in[i] - (i >= 3 ? in[i - 3] : 0));
	}
	return filtered;
}

GByteArray *image_png(const Image *image)
{
	static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
	uint8_t head[13] = {0};
	const uint32_t size[2] = {GUINT32_TO_BE((uint32_t)image->width), GUINT32_TO_BE((uint32_t)image->height)};
	memcpy(head, size, sizeof size);
	head[8] = 8; /* bits of a channel */
	head[9] = 2; /* red, green, blue */
	size_t length = 0;
	g_autofree uint8_t *filtered = filter_rows(image, &length);
	uLongf packed_length = compressBound((uLong)length);
	g_autofree uint8_t *packed = g_malloc(packed_length);
	compress2(packed, &packed_length, filtered, (uLong)length, PNG_LEVEL); /* the room is enough for anything */
	GByteArray *png = g_byte_array_new();
	g_byte_array_append(png, signature, sizeof signature);
	append_chunk(png, "IHDR", head, sizeof head);
	append_chunk(png, "sRGB", (const uint8_t[]){0}, 1);
	append_chunk(png, "IDAT", packed, packed_length);
	append_chunk(png, "IEND", NULL, 0);
	return png;
}
