#include "core/error.h"

G_DEFINE_QUARK(cinch-error-quark, cinch_error)

bool error_set(GError **error, CinchError code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error_literal(error, CINCH_ERROR, code, message);
	g_free(message);
	return false;
}

int error_exit_status(const GError *error)
{
	if (error == NULL)
		return 0;
	if (error->domain == G_OPTION_ERROR)
		return 2;
	if (error->domain != CINCH_ERROR)
		return 1;
	switch ((CinchError)error->code) {
	case CINCH_ERROR_INPUT:
		return 2;
	case CINCH_ERROR_LIMIT:
		return 3;
	case CINCH_ERROR_PROOF:
		return 4;
	case CINCH_ERROR_FAILED:
	default:
		return 1;
	}
}
