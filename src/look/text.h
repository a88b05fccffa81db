/* Plain text on pictures, drawn as strokes: no font has to be installed. ASCII; what else there is shows as a gap. */
#ifndef CINCH_LOOK_TEXT_H
#define CINCH_LOOK_TEXT_H

#include "look/image.h"

/* With its baseline at y, from x on; `height` of capitals in pixels. */
void text_draw(Image *image, double x, double y, double height, Colour colour, const char *text);
double text_width(double height, const char *text);

#endif
