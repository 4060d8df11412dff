/* SPDX-License-Identifier: MIT */
/* tools/cmd_dump.c - superblock and trees as text */
#include <errno.h>
#include <string.h>
#include "commands.h"
#include "report.h"
#include "session.h"

enum {
	OPT_DUMP_SUPER = OPT_OWN,
	OPT_TREE,
	OPT_BLOCK,
};

enum dump_what {
	DUMP_ALL,
	DUMP_SUPER,
	DUMP_TREE,
	DUMP_BLOCK,
};

struct dump {
	enum dump_what what;
	uint64_t number; /* of the tree, or logical address of the block */
};

static const struct argp_option dump_options[] = {
	{"superblock", OPT_DUMP_SUPER, 0, 0, "The superblock that is used", 0},
	{"tree", OPT_TREE, "ID", 0,
	 "One tree, by its number or name: root, extent, chunk, dev, fs, csum, quota, uuid, "
	 "free-space, block-group",
	 0},
	{"block", OPT_BLOCK, "LOGICAL", 0, "One tree block", 0},
	{0},
};

static bool parse_tree(const char *arg, uint64_t *out)
{
	static const struct {
		const char *name;
		uint64_t id;
	} trees[] = {
		{"root", 1}, {"extent", 2}, {"chunk", 3}, {"dev", 4},	      {"fs", 5},
		{"csum", 7}, {"quota", 8},  {"uuid", 9},  {"free-space", 10}, {"block-group", 11},
	};

	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		if (strcmp(arg, trees[i].name) == 0) {
			*out = trees[i].id;
			return true;
		}
	}
	return parse_number(arg, out);
}

static error_t parse_dump(int key, char *arg, struct argp_state *state)
{
	struct dump *dump = state->input;

	if (key != OPT_DUMP_SUPER && key != OPT_TREE && key != OPT_BLOCK)
		return ARGP_ERR_UNKNOWN;
	if (dump->what != DUMP_ALL)
		argp_error(state, "--superblock, --tree and --block exclude each other");
	if (key == OPT_DUMP_SUPER) {
		dump->what = DUMP_SUPER;
	} else if (key == OPT_TREE) {
		dump->what = DUMP_TREE;
		if (!parse_tree(arg, &dump->number))
			argp_error(state, "--tree: neither a number nor a name: '%s'", arg);
	} else {
		dump->what = DUMP_BLOCK;
		dump->number = option_number(state, "block", arg, 0, UINT64_MAX);
	}
	return 0;
}

static int write_stdout(void *priv, const char *text, size_t len)
{
	(void)priv;
	return fwrite(text, 1, len, stdout) == len ? 0 : -EPIPE;
}

static int dump(struct bdio_fs *fs, const struct dump *dump)
{
	int err;

	switch (dump->what) {
	case DUMP_SUPER:
		return bdio_dump_super(fs, write_stdout, NULL);
	case DUMP_TREE:
		return bdio_dump_tree(fs, dump->number, write_stdout, NULL);
	case DUMP_BLOCK:
		return bdio_dump_block(fs, dump->number, write_stdout, NULL);
	default:
		err = bdio_dump_super(fs, write_stdout, NULL);
		return err ? err : bdio_dump_all(fs, write_stdout, NULL);
	}
}

static int run_dump(const struct session *session, const struct options *options, void *input)
{
	int err = dump(session->fs, input);

	if (err < 0 && !ferror(stdout))
		report_error(options->images[0], err);
	else if (err > 0)
		report(options->images[0],
		       "damaged tree blocks were left out, the text says where");
	return err ? EXIT_PROBLEM : EXIT_DONE;
}

int cmd_dump(int argc, char **argv)
{
	struct dump what = {.what = DUMP_ALL};
	const struct syntax syntax = {
		.args = "IMAGE",
		.doc = "Prints the superblock and all trees, or the one that is asked for. The "
		       "text is for people and may change.",
		.options = dump_options,
		.parse = parse_dump,
		.input = &what,
	};

	return session_run(&syntax, argc, argv, run_dump);
}
