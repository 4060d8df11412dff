/* SPDX-License-Identifier: MIT */
/* tools/options.c - the command line: options that every command has, numbers, usage errors */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_DEVICE = 0x100,
	OPT_SCAN,
	OPT_DEGRADED,
	OPT_OFFSET,
	OPT_SUPER,
	OPT_BACKUP_ROOT,
	OPT_SUBVOL,
	OPT_NO_VERIFY,
	OPT_FORCE_LIVE,
	OPT_SALVAGE,
	OPT_BLOCKING,
	OPT_JSON,
};

#define MAX_BACKUP_ROOT 4 /* a superblock holds so many */
#define MAX_SUPER	2 /* copies are 0, 1 and 2 */

/* Where the parsers of one line meet. */
struct line {
	const struct syntax *syntax;
	struct options *out;
	bool image_seen;
};

static const struct argp_option offset_option[] = {
	{"offset", OPT_OFFSET, "BYTES", 0, "Where the filesystem starts in its image", 0},
	{"image-offset", OPT_OFFSET, 0, OPTION_ALIAS, 0, 0},
	{0},
};

static const struct argp_option image_offset_option[] = {
	{"image-offset", OPT_OFFSET, "BYTES", 0, "Where the filesystem starts in its image", 0},
	{0},
};

static const struct argp_option json_option[] = {
	{"json", OPT_JSON, 0, 0, "Print JSON", 0},
	{0},
};

static const struct argp_option common_options[] = {
	{"device", OPT_DEVICE, "FILE", 0, "A further member of the filesystem (repeatable)", 0},
	{"scan", OPT_SCAN, 0, 0, "Find the other members among this machine's devices", 0},
	{"degraded", OPT_DEGRADED, 0, 0, "Go on without devices that can be spared", 0},
	{"super", OPT_SUPER, "N", 0, "Start from superblock copy N: 0, 1 or 2", 0},
	{"backup-root", OPT_BACKUP_ROOT, "N", 0, "Start from backup root N: 1 (newest) to 4", 0},
	{"subvol", OPT_SUBVOL, "PATH|ID", 0,
	 "Paths start in this subvolume (5: top level) instead of the default one", 0},
	{"no-verify", OPT_NO_VERIFY, 0, 0, "Take data without looking at its checksums", 0},
	{"force-live", OPT_FORCE_LIVE, 0, 0, "Read although it is mounted: may be torn", 0},
	{"salvage", OPT_SALVAGE, 0, 0, "Read an image that was cut short", 0},
	{"blocking", OPT_BLOCKING, 0, 0, "Use blocking system calls, no io_uring", 0},
	{0},
};

bool parse_number(const char *text, uint64_t *out)
{
	static const char suffixes[] = "KMGT";

	if (!isdigit((unsigned char)text[0]))
		return false;
	char *end;
	errno = 0;
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	unsigned long long value = strtoull(text, &end, base);
	if (errno)
		return false;
	unsigned int shift = 0;
	const char *suffix = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
	if (suffix) {
		shift = 10 * (unsigned int)(suffix - suffixes + 1);
		end++;
	}
	if (*end || value > UINT64_MAX >> shift)
		return false;
	*out = (uint64_t)value << shift;
	return true;
}

uint64_t option_number(const struct argp_state *state, const char *name, const char *arg,
		       uint64_t min, uint64_t max)
{
	uint64_t value = 0;

	if (!parse_number(arg, &value))
		argp_error(state, "--%s: not a number: '%s'", name, arg);
	if (value < min || value > max)
		argp_error(state, "--%s: %s is not in %llu..%llu", name, arg,
			   (unsigned long long)min, (unsigned long long)max);
	return value;
}

unsigned int option_choice(const struct argp_state *state, const char *name, const char *arg,
			   const char *const *names)
{
	unsigned int i = 0;

	while (names[i] && strcmp(names[i], arg) != 0)
		i++;
	if (!names[i])
		argp_error(state, "--%s: unknown: '%s'", name, arg);
	return i;
}

static error_t parse_open_flag(int key, struct options *out)
{
	switch (key) {
	case OPT_SCAN:
		out->open.flags |= BDIO_OPEN_SCAN;
		return 0;
	case OPT_DEGRADED:
		out->open.flags |= BDIO_OPEN_DEGRADED;
		return 0;
	case OPT_NO_VERIFY:
		out->open.flags |= BDIO_OPEN_NO_VERIFY;
		return 0;
	case OPT_FORCE_LIVE:
		out->open.flags |= BDIO_OPEN_FORCE_LIVE;
		return 0;
	case OPT_SALVAGE:
		out->open.flags |= BDIO_OPEN_SALVAGE;
		return 0;
	case OPT_BLOCKING:
		out->open.flags |= BDIO_OPEN_BLOCKING;
		return 0;
	case OPT_JSON:
		out->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct options *out = ((struct line *)state->input)->out;

	switch (key) {
	case OPT_DEVICE:
		out->images[out->num_images++] = arg;
		return 0;
	case OPT_OFFSET:
		out->open.offset = option_number(state, "offset", arg, 0, INT64_MAX);
		return 0;
	case OPT_SUPER:
		/* The library counts from 1 because 0 is its "choose yourself". */
		out->open.super_copy =
			1 + (uint32_t)option_number(state, "super", arg, 0, MAX_SUPER);
		return 0;
	case OPT_BACKUP_ROOT:
		out->open.backup_root =
			(uint32_t)option_number(state, "backup-root", arg, 1, MAX_BACKUP_ROOT);
		return 0;
	case OPT_SUBVOL:
		out->subvol = arg;
		return 0;
	default:
		return parse_open_flag(key, out);
	}
}

static error_t parse_common_and_children(int key, char *arg, struct argp_state *state)
{
	struct line *line = state->input;

	if (key != ARGP_KEY_INIT)
		return parse_common(key, arg, state);
	state->child_inputs[0] = line;
	if (line->syntax->json)
		state->child_inputs[1] = line;
	return 0;
}

/* The root of the parser tree: hands the inputs out and takes what is no option. */
static error_t parse_line(int key, char *arg, struct argp_state *state)
{
	struct line *line = state->input;
	struct options *out = line->out;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = line->syntax->input;
		state->child_inputs[1] = line;
		return 0;
	case ARGP_KEY_ARG:
		if (!line->image_seen) {
			line->image_seen = true;
			out->images[0] = arg;
		} else if (out->num_args < line->syntax->max_args) {
			out->args[out->num_args++] = arg;
		} else {
			argp_error(state, "too many arguments: '%s'", arg);
		}
		return 0;
	case ARGP_KEY_END:
		if (!line->image_seen || out->num_args < line->syntax->min_args)
			argp_error(state, "arguments are missing: %s", line->syntax->args);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void options_parse(const struct syntax *syntax, int argc, char **argv, struct options *out)
{
	const struct argp own = {.options = syntax->options, .parser = syntax->parse};
	const struct argp offset = {.options = syntax->own_offset ? image_offset_option
								  : offset_option,
				    .parser = parse_common};
	const struct argp json = {.options = json_option, .parser = parse_common};
	/* Children of the common ones, so that the help lists them all together. */
	const struct argp_child common_children[] = {
		{&offset, 0, NULL, 0},
		{syntax->json ? &json : NULL, 0, NULL, 0},
		{0},
	};
	const struct argp common = {.options = common_options,
				    .parser = parse_common_and_children,
				    .children = common_children};
	const struct argp_child children[] = {
		{&own, 0, NULL, 0},
		{&common, 0, "Options of all commands:", 1},
		{0},
	};
	const struct argp root = {
		.parser = parse_line,
		.args_doc = syntax->args,
		.doc = syntax->doc,
		.children = children,
	};

	*out = (struct options){
		.open.size = sizeof(struct bdio_open_opts),
		.images = calloc((size_t)argc + 1, sizeof(*out->images)),
		.num_images = 1,
		.args = calloc((size_t)argc + 1, sizeof(*out->args)),
	};
	struct line line = {.syntax = syntax, .out = out};
	if (!out->images || !out->args || argp_parse(&root, argc, argv, 0, NULL, &line)) {
		fputs("btrfsdio: out of memory\n", stderr);
		exit(EXIT_PROBLEM);
	}
}

void options_free(struct options *options)
{
	free(options->images);
	free(options->args);
}
