/* Pages: templates of our own that are filled in, with the libraries that they need inside, so that a page is one file. */
#ifndef CINCH_LOOK_PAGE_H
#define CINCH_LOOK_PAGE_H

#include <glib.h>
#include <stdbool.h>

/* A template under src/look/page. */
const char *page_part(const char *name);

/* The text of a library of Debian's, to be put into a page; an error names the package that has it. */
typedef enum {
	PAGE_THREE,
	PAGE_CONTROLS,
	PAGE_CHART
} PageLibrary;
char *page_library(PageLibrary library, GError **error);

/* The template with each {{key}} replaced by what stands for it: keys and texts in turn, NULL at the end. */
GString *page_fill(const char *template, const char *const *pairs);

/* Texts for places in HTML and JSON; free with g_free. */
char *page_escape(const char *text);
void page_add_json(GString *json, const char *text);
/* A number, or null for one that is not finite. */
void page_add_number(GString *json, double number);
/* Bytes in base64, as a JSON string. */
void page_add_bytes(GString *json, const void *data, size_t length);

#endif
