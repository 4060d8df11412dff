/* SPDX-License-Identifier: MIT */
/* tools/json.h - writes JSON as it comes, without building it in memory */
#ifndef BTRFSDIO_TOOLS_JSON_H
#define BTRFSDIO_TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
	FILE *out;
	unsigned int depth;
	struct {
		char close; /* '}' or ']' */
		bool some;  /* something stands before the next value */
	} level[JSON_DEPTH];
};

/* Begins the outermost object. Every @key below: a name inside an object, NULL inside an array. */
void json_start(struct json *json, FILE *out);
/* Closes everything that is still open, so that the text is whole also after an error. */
void json_finish(struct json *json);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json);

void json_u64(struct json *json, const char *key, uint64_t value);
void json_s64(struct json *json, const char *key, int64_t value);
void json_double(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
/* {"sec": SECONDS, "nsec": NANOSECONDS} */
void json_time(struct json *json, const char *key, int64_t sec, uint32_t nsec);
void json_null(struct json *json, const char *key);
/* NUL-terminated and known to be sound. */
void json_text(struct json *json, const char *key, const char *text);
/*
 * Bytes of unknown origin. Where they are not valid UTF-8 the bad ones become U+FFFD, and a
 * second member "KEY_hex" holds them all: not to be used inside an array.
 */
void json_bytes(struct json *json, const char *key, const char *bytes, size_t len);
void json_hex(struct json *json, const char *key, const void *bytes, size_t len);

#endif
