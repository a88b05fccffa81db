#include "look/page.h"
#include "core/error.h"
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#ifndef PAGE_JAVASCRIPT
#define PAGE_JAVASCRIPT "/usr/share/javascript"
#endif

const char *page_part(const char *name)
{
	g_autofree char *path = g_strconcat("/cinch/", name, NULL);
	/* They are in the program: neither missing nor freed. */
	g_autoptr(GBytes) part = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
	return part ? g_bytes_get_data(part, NULL) : "";
}

char *page_library(PageLibrary library, GError **error)
{
	static const struct {
		const char *path, *package;
	} libraries[] = {
	    [PAGE_THREE] = {"three/three.min.js", "libjs-three"},
	    [PAGE_CONTROLS] = {"three/examples/js/controls/OrbitControls.js", "libjs-three"},
	    [PAGE_CHART] = {"chart.js/chart.min.js", "libjs-chart.js"},
	};
	const char *folder = g_getenv("CINCH_JAVASCRIPT");
	g_autofree char *path = g_build_filename(folder ? folder : PAGE_JAVASCRIPT, libraries[library].path, NULL);
	g_autofree char *text = NULL;
	if (!g_file_get_contents(path, &text, NULL, NULL)) {
		error_set(error, CINCH_ERROR_FAILED, "%s: cannot be read; it is in Debian's package %s (another folder than %s can be given as CINCH_JAVASCRIPT)",
		    path, libraries[library].package, PAGE_JAVASCRIPT);
		return NULL;
	}
	/* What would end the element that it is put into. */
	g_autoptr(GString) safe = g_string_new(text);
	g_string_replace(safe, "</script", "<\\/script", 0);
	return g_string_free(g_steal_pointer(&safe), FALSE);
}

GString *page_fill(const char *template, const char *const *pairs)
{
	GString *page = g_string_new(NULL);
	for (const char *rest = template; *rest != '\0';) {
		const char *start = strstr(rest, "{{"), *end = start ? strstr(start, "}}") : NULL;
		if (end == NULL) {
			g_string_append(page, rest);
			break;
		}
		g_string_append_len(page, rest, start - rest);
		for (const char *const *pair = pairs; *pair != NULL; pair += 2)
			if (strlen(*pair) == (size_t)(end - start - 2) && strncmp(*pair, start + 2, strlen(*pair)) == 0)
				g_string_append(page, pair[1]);
		rest = end + 2;
	}
	return page;
}

char *page_escape(const char *text)
{
	return g_markup_escape_text(text, -1);
}

void page_add_json(GString *json, const char *text)
{
	g_string_append_c(json, '"');
	for (const char *c = text; *c != '\0'; c++) {
		unsigned char byte = (unsigned char)*c;
		if (byte < 0x20 || byte == '"' || byte == '\\' || byte == '<' || byte == '>' || byte == '&')
			g_string_append_printf(json, "\\u%04x", byte);
		else
			g_string_append_c(json, *c);
	}
	g_string_append_c(json, '"');
}

void page_add_number(GString *json, double number)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];
	g_string_append(json, isfinite(number) ? g_ascii_formatd(text, sizeof text, "%.9g", number) : "null");
}

void page_add_bytes(GString *json, const void *data, size_t length)
{
	g_autofree char *text = g_base64_encode(length > 0 ? data : (const void *)"", length);
	g_string_append_c(json, '"');
	g_string_append(json, text);
	g_string_append_c(json, '"');
}
