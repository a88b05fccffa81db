/* A film: pictures one after the other, sent to ffmpeg as they come. */
#ifndef CINCH_CLI_FILM_H
#define CINCH_CLI_FILM_H

#include "look/image.h"

typedef struct Film Film;

/* Whether there is an ffmpeg to be found. */
bool film_possible(void);
/* The ending of the name says what is made: .mp4, .webm, .gif. */
Film *film_new(const char *path, int width, int height, double rate, GError **error);
bool film_add(Film *film, const Image *image, GError **error);
/* Ends it, also after a failure, which is kept. Frees. */
bool film_finish(Film *film, GError **error);

#endif
