/* Each glyph is a list of strokes, separated by spaces; a stroke is a list of points, a digit for x (0 to 4) and a letter for
 * y: c is the baseline, i the height of capitals, g that of small letters, a and b are below. */
#include "look/text.h"
#include <math.h>
#include <string.h>

#define HEIGHT 6.0  /* of capitals, in units of the glyphs */
#define ADVANCE 5.8
#define STROKE 0.38 /* half of its width */

static const char *const glyphs[128] = {
    ['0'] = "1c0d0h1i3i4h4d3c1c", ['1'] = "1h2i2c 1c3c", ['2'] = "0h1i3i4h4g0c4c", ['3'] = "0h1i3i4h4g3f2f 3f4e4d3c1c0d",
    ['4'] = "3c3i0e4e", ['5'] = "4i0i0f3f4e4d3c1c0d", ['6'] = "4h3i1i0h0d1c3c4d4e3f1f0e", ['7'] = "0i4i1c",
    ['8'] = "1f0g0h1i3i4h4g3f1f0e0d1c3c4d4e3f", ['9'] = "0d1c3c4d4h3i1i0h0g1f3f4g", ['.'] = "2c2c", [','] = "2c1b",
    ['-'] = "0f4f", ['+'] = "0f4f 2d2h", ['='] = "0e4e 0g4g", ['/'] = "0b4i", ['^'] = "0g2i4g", ['['] = "3i1i1b3b",
    [']'] = "1i3i3b1b", ['('] = "3i2h2c3b", [')'] = "1i2h2c1b", [':'] = "2d2d 2g2g", ['_'] = "0b4b", ['|'] = "2i2b",
    ['%'] = "0c4i 0h1i1g0h 3d4e4c3d", ['\''] = "2i2h", ['"'] = "1i1h 3i3h", ['<'] = "4h0f4d", ['>'] = "0h4f0d",
    ['*'] = "0f4f 1d3h 1h3d", ['!'] = "2i2e 2c2c", ['?'] = "0h1i3i4h4g2e 2c2c", [';'] = "2g2g 2c1b", ['&'] = "4c1h2i3h0d1c3c4e",
    ['a'] = "4g4c 4f3g1g0f0d1c3c4d", ['b'] = "0i0c 0d1c3c4d4f3g1g0f", ['c'] = "4f3g1g0f0d1c3c4d",
    ['d'] = "4i4c 4d3c1c0d0f1g3g4f", ['e'] = "0e4e4f3g1g0f0d1c3c4d", ['f'] = "4i3i2h2c 0g4g",
    ['g'] = "4g4b3a1a0b 4f3g1g0f0d1c3c4d", ['h'] = "0i0c 0f1g3g4f4c", ['i'] = "2g2c 2i2i", ['j'] = "3g3b2a1a 3i3i",
    ['k'] = "0i0c 0e3g 1f4c", ['l'] = "2i2d3c", ['m'] = "0c0g 0f1g2f2c 2f3g4f4c", ['n'] = "0c0g 0f1g3g4f4c",
    ['o'] = "1c0d0f1g3g4f4d3c1c", ['p'] = "0a0g 0f1g3g4f4d3c1c0d", ['q'] = "4a4g 4f3g1g0f0d1c3c4d", ['r'] = "1c1g 1f2g4g",
    ['s'] = "4f3g1g0f1e3e4d3c1c0d", ['t'] = "2i2d3c4c 0g4g", ['u'] = "0g0d1c3c4d 4g4c", ['v'] = "0g2c4g", ['w'] = "0g1c2f3c4g",
    ['x'] = "0g4c 4g0c", ['y'] = "0g2c 4g1a", ['z'] = "0g4g0c4c", ['A'] = "0c2i4c 1e3e", ['B'] = "0c0i3i4h4g3f0f 3f4e4d3c0c",
    ['C'] = "4h3i1i0h0d1c3c4d", ['D'] = "0c0i2i4g4e2c0c", ['E'] = "4i0i0c4c 0f3f", ['F'] = "4i0i0c 0f3f",
    ['G'] = "4h3i1i0h0d1c3c4d4f2f", ['H'] = "0i0c 4i4c 0f4f", ['I'] = "2i2c 1i3i 1c3c", ['J'] = "4i4d3c1c0d",
    ['K'] = "0i0c 4i0e 1f4c", ['L'] = "0i0c4c", ['M'] = "0c0i2e4i4c", ['N'] = "0c0i4c4i", ['O'] = "1c0d0h1i3i4h4d3c1c",
    ['P'] = "0c0i3i4h4g3f0f", ['Q'] = "1c0d0h1i3i4h4d3c1c 2e4c", ['R'] = "0c0i3i4h4g3f0f 2f4c",
    ['S'] = "4h3i1i0h0g1f3f4e4d3c1c0d", ['T'] = "2c2i 0i4i", ['U'] = "0i0d1c3c4d4i", ['V'] = "0i2c4i", ['W'] = "0i1c2g3c4i",
    ['X'] = "0i4c 4i0c", ['Y'] = "0i2f4i 2f2c", ['Z'] = "0i4i0c4c",
};

static double distance_to(double x, double y, const double a[2], const double b[2])
{
	double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
	double share = length2 > 0.0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / length2 : 0.0;
	share = fmin(fmax(share, 0.0), 1.0);
	return hypot(x - a[0] - share * dx, y - a[1] - share * dy);
}

/* How far a place is from the strokes, in units of the glyphs. */
static double distance_to_glyph(const char *strokes, double x, double y)
{
	double nearest = INFINITY, last[2] = {0};
	bool begun = false;
	for (const char *c = strokes; *c != '\0'; c++) {
		if (*c == ' ') {
			begun = false;
			continue;
		}
		const double point[2] = {c[0] - '0', c[1] - 'c'};
		c++;
		if (begun)
			nearest = fmin(nearest, distance_to(x, y, last, point));
		memcpy(last, point, sizeof last);
		begun = true;
	}
	return nearest;
}

static void draw_glyph(Image *image, double x, double y, double scale, Colour colour, const char *strokes)
{
	int left = (int)floor(x - scale), right = (int)ceil(x + 5.0 * scale);
	int top = (int)floor(y - 7.0 * scale), bottom = (int)ceil(y + 3.0 * scale);
	for (int row = top; row <= bottom; row++)
		for (int column = left; column <= right; column++) {
			double distance =
			    distance_to_glyph(strokes, (column + 0.5 - x) / scale, (y - row - 0.5) / scale) * scale;
			double half = fmax(STROKE * scale, 0.55);
			image_blend(image, column, row, colour, (float)(half - distance + 0.5));
		}
}

void text_draw(Image *image, double x, double y, double height, Colour colour, const char *text)
{
	double scale = height / HEIGHT;
	for (const char *c = text; *c != '\0'; c = g_utf8_next_char(c), x += ADVANCE * scale)
		if ((unsigned char)*c < 128 && glyphs[(unsigned char)*c] != NULL)
			draw_glyph(image, x, y, scale, colour, glyphs[(unsigned char)*c]);
}

double text_width(double height, const char *text)
{
	return ADVANCE * height / HEIGHT * (double)g_utf8_strlen(text, -1);
}
