/* Members of JSON objects, in one line each. */
#ifndef CINCH_SIM_JSON_PUT_H
#define CINCH_SIM_JSON_PUT_H

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>

static inline void json_put_number(JsonBuilder *builder, const char *key, double value)
{
	json_builder_set_member_name(builder, key);
	json_builder_add_double_value(builder, value);
}

static inline void json_put_count(JsonBuilder *builder, const char *key, uint64_t value)
{
	json_builder_set_member_name(builder, key);
	json_builder_add_int_value(builder, (gint64)value);
}

static inline void json_put_flag(JsonBuilder *builder, const char *key, bool value)
{
	json_builder_set_member_name(builder, key);
	json_builder_add_boolean_value(builder, value);
}

static inline void json_put_text(JsonBuilder *builder, const char *key, const char *value)
{
	json_builder_set_member_name(builder, key);
	json_builder_add_string_value(builder, value);
}

static inline void json_put_numbers(JsonBuilder *builder, const char *key, const double *value, size_t n)
{
	json_builder_set_member_name(builder, key);
	json_builder_begin_array(builder);
	for (size_t i = 0; i < n; i++)
		json_builder_add_double_value(builder, value[i]);
	json_builder_end_array(builder);
}

#endif
