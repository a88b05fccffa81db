/* A picture in memory, and as a PNG file. */
#ifndef CINCH_LOOK_IMAGE_H
#define CINCH_LOOK_IMAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	int width, height;
	uint8_t *rgb; /* (height, width, 3) sRGB, rows from the top */
} Image;

typedef struct {
	float r, g, b; /* linear light, 0 to 1 */
} Colour;

Image *image_new(int width, int height);
void image_free(Image *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Image, image_free)

/* Between linear light and the bytes of sRGB. */
uint8_t image_encode(float linear);
float image_decode(uint8_t byte);
void image_set(Image *image, int x, int y, Colour colour);
/* Lays a colour over what is there, by an opacity from 0 to 1. */
void image_blend(Image *image, int x, int y, Colour colour, float opacity);

/* The bytes of a PNG file. */
GByteArray *image_png(const Image *image);

#endif
