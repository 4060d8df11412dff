/* SPDX-License-Identifier: MIT */
/* tools/cmd_used.c - which ranges of which device are in use */
#include <inttypes.h>
#include "commands.h"
#include "json.h"
#include "report.h"
#include "session.h"

enum { OPT_DEVID = OPT_OWN };

struct used {
	uint64_t devid; /* 0: all */
	struct json *json;
	uint64_t ranges, bytes;
};

static const struct argp_option used_options[] = {
	{"devid", OPT_DEVID, "ID", 0, "Of one device only", 0},
	{0},
};

static error_t parse_used(int key, char *arg, struct argp_state *state)
{
	struct used *used = state->input;

	if (key != OPT_DEVID)
		return ARGP_ERR_UNKNOWN;
	used->devid = option_number(state, "devid", arg, 1, UINT64_MAX);
	return 0;
}

static const struct {
	uint32_t bit;
	const char *name;
} kinds[] = {
	{BDIO_USED_SUPER, "super"},
	{BDIO_USED_METADATA, "metadata"},
	{BDIO_USED_DATA, "data"},
	{BDIO_USED_PARITY, "parity"},
};

#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void put_text(const struct bdio_used *range)
{
	const char *separator = "";

	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " ", range->devid, range->physical,
	       range->length);
	if (range->logical == UINT64_MAX)
		putchar('-');
	else
		printf("%" PRIu64, range->logical);
	printf(" %" PRIu32 " ", range->copy);
	for (size_t i = 0; i < NUM_KINDS; i++) {
		if (!(range->kind & kinds[i].bit))
			continue;
		printf("%s%s", separator, kinds[i].name);
		separator = "|";
	}
	putchar('\n');
}

static void put_json(struct json *json, const struct bdio_used *range)
{
	json_object(json, NULL);
	json_u64(json, "devid", range->devid);
	json_u64(json, "physical", range->physical);
	json_u64(json, "length", range->length);
	if (range->logical == UINT64_MAX)
		json_null(json, "logical");
	else
		json_u64(json, "logical", range->logical);
	json_u64(json, "copy", range->copy);
	json_array(json, "kind");
	for (size_t i = 0; i < NUM_KINDS; i++) {
		if (range->kind & kinds[i].bit)
			json_text(json, NULL, kinds[i].name);
	}
	json_end(json);
	json_end(json);
}

static int put_ranges(struct used *used, struct bdio_fs *fs)
{
	struct bdio_used_iter *iter;
	struct bdio_used range;

	int err = bdio_used_open(fs, used->devid, &iter);
	if (err)
		return err;
	while (!ferror(stdout) && (err = bdio_used_next(iter, &range)) > 0) {
		if (used->json)
			put_json(used->json, &range);
		else
			put_text(&range);
		used->ranges++;
		used->bytes += range.length;
	}
	bdio_used_close(iter);
	return err < 0 ? err : 0;
}

static int list_used(const struct session *session, const struct options *options, void *input)
{
	struct used *used = input;
	struct json json;

	if (options->json) {
		used->json = &json;
		json_start(&json, stdout);
		json_array(&json, "ranges");
	} else {
		puts("# devid physical length logical copy kind");
	}
	int err = put_ranges(used, session->fs);
	if (err)
		report_error(options->images[0], err);
	if (used->json) {
		json_end(&json);
		json_u64(&json, "num_ranges", used->ranges);
		json_u64(&json, "bytes", used->bytes);
		json_bool(&json, "complete", err == 0);
		json_finish(&json);
	}
	return err ? EXIT_PROBLEM : EXIT_DONE;
}

int cmd_used(int argc, char **argv)
{
	struct used used = {0};
	const struct syntax syntax = {
		.args = "IMAGE",
		.doc = "Prints the ranges of every device that are in use: superblocks, metadata, "
		       "data, parity; all copies of each. A copy of these ranges is a copy of the "
		       "filesystem.",
		.json = true,
		.options = used_options,
		.parse = parse_used,
		.input = &used,
	};

	return session_run(&syntax, argc, argv, list_used);
}
