/* SPDX-License-Identifier: MIT */
/* tools/options.h - the command line: options that every command has, numbers, usage errors */
#ifndef BTRFSDIO_TOOLS_OPTIONS_H
#define BTRFSDIO_TOOLS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include "btrfsdio/btrfsdio.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_PROBLEM = 1, /* found problems, or failed */
	EXIT_USAGE = 2,
};

/* What every command's line holds. */
struct options {
	struct bdio_open_opts open;
	const char **images; /* IMAGE, then each --device */
	size_t num_images;
	char **args; /* what stands behind IMAGE */
	size_t num_args;
	const char *subvol; /* NULL: the default one */
	bool json;
};

/* How the line of one command looks. */
struct syntax {
	const char *args; /* for --help: "IMAGE [PATH...]" */
	const char *doc;
	unsigned int min_args, max_args; /* behind IMAGE; UINT_MAX: any number */
	bool json;			 /* has --json */
	bool own_offset;		 /* --offset is the command's own, not the image's */
	const struct argp_option *options;
	argp_parser_t parse; /* the command's own options; NULL: it has none */
	void *input;	     /* state->input of @parse */
};

/* Keys of a command's own long options start here. */
#define OPT_OWN 0x200

/* Parse a command's line. A usage error ends the program. Release with options_free(). */
void options_parse(const struct syntax *syntax, int argc, char **argv, struct options *out);
void options_free(struct options *options);

/*
 * A number: decimal or 0x hexadecimal, then at most one of K, M, G, T (powers of 1024). Nothing
 * else, neither blanks nor a sign. Return: whether it is one and at most UINT64_MAX.
 */
bool parse_number(const char *text, uint64_t *out);

/* The number of an option, min..max; anything else is a usage error. */
uint64_t option_number(const struct argp_state *state, const char *name, const char *arg,
		       uint64_t min, uint64_t max);

/* Which of @names, a NULL-terminated list, @arg is; none is a usage error. */
unsigned int option_choice(const struct argp_state *state, const char *name, const char *arg,
			   const char *const *names);

#endif
