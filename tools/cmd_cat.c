/* SPDX-License-Identifier: MIT */
/* tools/cmd_cat.c - contents of files, verified, to standard output */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include "commands.h"
#include "report.h"
#include "session.h"

/* One call keeps the devices busy with so many bytes. */
#define CAT_BUFFER (4u << 20)

enum {
	OPT_FILE_OFFSET = OPT_OWN,
	OPT_LENGTH,
};

struct cat {
	const struct session *session;
	uint64_t offset, length;
	void *buffer;
};

static const struct argp_option cat_options[] = {
	{"offset", OPT_FILE_OFFSET, "N", 0, "Start at byte N of each file", 0},
	{"length", OPT_LENGTH, "N", 0, "At most N bytes of each file", 0},
	{0},
};

static error_t parse_cat(int key, char *arg, struct argp_state *state)
{
	struct cat *cat = state->input;

	switch (key) {
	case OPT_FILE_OFFSET:
		cat->offset = option_number(state, "offset", arg, 0, INT64_MAX);
		return 0;
	case OPT_LENGTH:
		cat->length = option_number(state, "length", arg, 0, UINT64_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int cat_file(const struct cat *cat, struct bdio_file *file, const char *path)
{
	uint64_t offset = cat->offset, left = cat->length;

	while (left > 0) {
		size_t want = left < CAT_BUFFER ? (size_t)left : CAT_BUFFER;
		ssize_t got = bdio_file_read(file, cat->buffer, want, offset, 0);
		if (got < 0)
			report_error(path, (int)got);
		if (got <= 0)
			return (int)got;
		if (fwrite(cat->buffer, 1, (size_t)got, stdout) != (size_t)got)
			return -EIO; /* said when standard output is closed */
		offset += (uint64_t)got;
		left -= (uint64_t)got;
	}
	return 0;
}

static int cat_path(const struct cat *cat, const char *path)
{
	struct bdio_ino ino;
	struct bdio_file *file;

	int err = session_lookup(cat->session, path, BDIO_LOOKUP_FOLLOW, &ino);
	if (err)
		return err;
	err = bdio_file_open(cat->session->fs, ino, &file);
	if (err) {
		report_error(path, err);
		return err;
	}
	err = cat_file(cat, file, path);
	bdio_file_close(file);
	return err;
}

static int cat_paths(const struct session *session, const struct options *options, void *input)
{
	struct cat *cat = input;
	int status = EXIT_DONE;

	cat->session = session;
	cat->buffer = aligned_alloc(4096, CAT_BUFFER);
	if (!cat->buffer) {
		report_errno(NULL, ENOMEM);
		return EXIT_PROBLEM;
	}
	for (size_t i = 0; i < options->num_args && !ferror(stdout); i++) {
		if (cat_path(cat, options->args[i]))
			status = EXIT_PROBLEM;
	}
	free(cat->buffer);
	return status;
}

int cmd_cat(int argc, char **argv)
{
	struct cat cat = {.length = UINT64_MAX};
	const struct syntax syntax = {
		.args = "IMAGE PATH...",
		.doc = "Writes the contents of files to standard output. Every byte is verified "
		       "before it is written; at the first one that cannot be, the file ends.",
		.min_args = 1,
		.max_args = UINT_MAX,
		.own_offset = true,
		.options = cat_options,
		.parse = parse_cat,
		.input = &cat,
	};

	return session_run(&syntax, argc, argv, cat_paths);
}
