/* SPDX-License-Identifier: MIT */
/* tools/json.c - writes JSON as it comes, without building it in memory */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "print.h"

/* Lists of the outer levels have a line for each member; deeper ones stay on it. */
#define LINE_DEPTH 2

static void put_string(FILE *out, const char *bytes, size_t len)
{
	putc('"', out);
	while (len > 0) {
		uint32_t c;
		size_t used = utf8_char(bytes, len, &c);
		if (used == 0)
			fputs("\xef\xbf\xbd", out); /* U+FFFD */
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (char)c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04" PRIx32, c);
		else
			fwrite(bytes, 1, used, out);
		used = used ? used : 1;
		bytes += used;
		len -= used;
	}
	putc('"', out);
}

static void new_line(struct json *json)
{
	fprintf(json->out, "\n%*s", (int)json->depth, "");
}

/* What stands before every value. */
static void begin_value(struct json *json, const char *key)
{
	bool some = json->level[json->depth - 1].some;

	if (some)
		putc(',', json->out);
	if (json->depth <= LINE_DEPTH)
		new_line(json);
	else if (some)
		putc(' ', json->out);
	json->level[json->depth - 1].some = true;
	if (key) {
		put_string(json->out, key, strlen(key));
		fputs(": ", json->out);
	}
}

static void push(struct json *json, char open, char close)
{
	assert(json->depth < JSON_DEPTH);
	putc(open, json->out);
	json->level[json->depth].close = close;
	json->level[json->depth].some = false;
	json->depth++;
}

void json_start(struct json *json, FILE *out)
{
	*json = (struct json){.out = out};
	push(json, '{', '}');
}

void json_finish(struct json *json)
{
	while (json->depth > 0)
		json_end(json);
	putc('\n', json->out);
}

void json_object(struct json *json, const char *key)
{
	begin_value(json, key);
	push(json, '{', '}');
}

void json_array(struct json *json, const char *key)
{
	begin_value(json, key);
	push(json, '[', ']');
}

void json_end(struct json *json)
{
	json->depth--;
	if (json->level[json->depth].some && json->depth < LINE_DEPTH)
		new_line(json);
	putc(json->level[json->depth].close, json->out);
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_s64(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_double(struct json *json, const char *key, double value)
{
	begin_value(json, key);
	fprintf(json->out, "%.6f", isfinite(value) ? value : 0.0);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	fputs("null", json->out);
}

void json_time(struct json *json, const char *key, int64_t sec, uint32_t nsec)
{
	json_object(json, key);
	json_s64(json, "sec", sec);
	json_u64(json, "nsec", nsec);
	json_end(json);
}

void json_text(struct json *json, const char *key, const char *text)
{
	begin_value(json, key);
	put_string(json->out, text, strlen(text));
}

static bool is_utf8(const char *bytes, size_t len)
{
	while (len > 0) {
		size_t used = utf8_char(bytes, len, NULL);
		if (used == 0)
			return false;
		bytes += used;
		len -= used;
	}
	return true;
}

void json_bytes(struct json *json, const char *key, const char *bytes, size_t len)
{
	begin_value(json, key);
	put_string(json->out, bytes, len);
	if (is_utf8(bytes, len))
		return;
	char hex_key[64];
	snprintf(hex_key, sizeof(hex_key), "%s_hex", key);
	json_hex(json, hex_key, bytes, len);
}

void json_hex(struct json *json, const char *key, const void *bytes, size_t len)
{
	begin_value(json, key);
	putc('"', json->out);
	print_hex(json->out, bytes, len);
	putc('"', json->out);
}
