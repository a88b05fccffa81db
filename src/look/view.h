/* The page of `cinch view`: the motion to play and turn around, its plots beside it, in one file that needs no network. */
#ifndef CINCH_LOOK_VIEW_H
#define CINCH_LOOK_VIEW_H

#include "io/selection.h"

#define VIEW_MOST_BYTES 95e6 /* of the page: runs that are larger lose frames, and the page says so */

/* The whole page. `name` is that of the archive. */
GString *view_page(Selection *selection, const char *name, double most_bytes, GError **error);

#endif
