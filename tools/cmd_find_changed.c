/* SPDX-License-Identifier: MIT */
/* tools/cmd_find_changed.c - what changed in a subvolume since a generation */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "json.h"
#include "print.h"
#include "report.h"
#include "session.h"

enum { OPT_SINCE = OPT_OWN };

/* Paths of one inode: changes of an inode follow each other, so that they are found once. */
struct paths {
	struct bdio_ino ino; /* inode 0: none yet */
	size_t count;
	size_t *lens;
	char **list;
};

struct find_changed {
	bool since_given;
	uint64_t since;
	const struct session *session;
	struct json *json; /* NULL: text */
	struct paths paths;
};

static const struct argp_option find_changed_options[] = {
	{"since", OPT_SINCE, "GEN", 0, "Changes of the generations after this one (required)", 0},
	{0},
};

static error_t parse_find_changed(int key, char *arg, struct argp_state *state)
{
	struct find_changed *command = state->input;

	switch (key) {
	case OPT_SINCE:
		command->since = option_number(state, "since", arg, 0, UINT64_MAX);
		command->since_given = true;
		return 0;
	case ARGP_KEY_END:
		if (!command->since_given)
			argp_error(state, "--since is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --- paths of an inode --- */

static void paths_free(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->list[i]);
	free(paths->list);
	free(paths->lens);
	*paths = (struct paths){0};
}

static int paths_add(void *priv, const char *path, size_t len)
{
	struct paths *paths = priv;
	char **list = reallocarray(paths->list, paths->count + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	paths->list = list;
	size_t *lens = reallocarray(paths->lens, paths->count + 1, sizeof(*lens));
	if (!lens)
		return -ENOMEM;
	paths->lens = lens;
	char *copy = malloc(len + 1);
	if (!copy)
		return -ENOMEM;
	copy[0] = '/';
	memcpy(copy + 1, path, len);
	list[paths->count] = copy;
	lens[paths->count++] = len + 1;
	return 0;
}

static int paths_find(struct paths *paths, struct bdio_fs *fs, struct bdio_ino ino)
{
	if (paths->ino.inode == ino.inode && paths->ino.subvol == ino.subvol)
		return 0;
	paths_free(paths);
	paths->ino = ino;
	return bdio_paths(fs, ino, paths_add, paths);
}

/* --- text: GENERATION KIND WHAT PATH --- */

static void put_kind(const struct bdio_changed *change)
{
	switch (change->what) {
	case BDIO_CHANGE_INODE:
		printf("inode %s ", change->created ? "created" : "changed");
		break;
	case BDIO_CHANGE_DATA:
		printf("data %" PRIu64 "+%" PRIu64 " ", change->offset, change->length);
		break;
	case BDIO_CHANGE_NAME:
		printf("name %s ", ftype_name(change->type));
		break;
	default:
		fputs("xattr ", stdout);
		print_escaped(stdout, change->name, change->name_len);
		putchar(' ');
		break;
	}
}

static void put_text(const struct find_changed *command, const struct bdio_changed *change)
{
	const struct paths *paths = &command->paths;

	printf("%" PRIu64 " ", change->generation);
	put_kind(change);
	if (paths->count)
		print_escaped(stdout, paths->list[0], paths->lens[0]);
	else
		printf("(no name: inode %" PRIu64 ")", change->ino.inode);
	if (change->what == BDIO_CHANGE_NAME) {
		/* The root's own path is a slash already. */
		if (!paths->count || paths->lens[0] > 1)
			putchar('/');
		print_escaped(stdout, change->name, change->name_len);
	}
	putchar('\n');
}

/* --- JSON --- */

static void put_json_paths(struct json *json, const struct paths *paths)
{
	json_array(json, "paths");
	for (size_t i = 0; i < paths->count; i++) {
		json_object(json, NULL);
		json_bytes(json, "path", paths->list[i], paths->lens[i]);
		json_end(json);
	}
	json_end(json);
}

static void put_json(const struct find_changed *command, const struct bdio_changed *change)
{
	static const char *const kinds[] = {
		[BDIO_CHANGE_INODE] = "inode",
		[BDIO_CHANGE_DATA] = "data",
		[BDIO_CHANGE_NAME] = "name",
		[BDIO_CHANGE_XATTR] = "xattr",
	};
	struct json *json = command->json;

	json_object(json, NULL);
	json_text(json, "kind", kinds[change->what]);
	json_u64(json, "generation", change->generation);
	json_u64(json, "subvol", change->ino.subvol);
	json_u64(json, "inode", change->ino.inode);
	put_json_paths(json, &command->paths);
	if (change->what == BDIO_CHANGE_INODE)
		json_bool(json, "created", change->created);
	if (change->what == BDIO_CHANGE_DATA) {
		json_u64(json, "offset", change->offset);
		json_u64(json, "length", change->length);
	}
	if (change->what == BDIO_CHANGE_NAME || change->what == BDIO_CHANGE_XATTR)
		json_bytes(json, "name", change->name, change->name_len);
	if (change->what == BDIO_CHANGE_NAME) {
		json_text(json, "type", ftype_name(change->type));
		json_u64(json, "child_subvol", change->child.subvol);
		json_u64(json, "child_inode", change->child.inode);
	}
	json_end(json);
}

/* --- the command --- */

static int put_changes(struct find_changed *command, struct bdio_changed_iter *iter)
{
	struct bdio_fs *fs = command->session->fs;
	struct bdio_changed change;
	int failed = 0, got;

	while (!ferror(stdout) && (got = bdio_changed_next(iter, &change)) != 0) {
		if (got < 0)
			return got;
		int err = paths_find(&command->paths, fs, change.ino);
		if (err) {
			char inode[32];
			snprintf(inode, sizeof(inode), "inode %" PRIu64, change.ino.inode);
			report_error(inode, err);
			failed = 1;
		}
		if (command->json)
			put_json(command, &change);
		else
			put_text(command, &change);
	}
	return failed;
}

static int list_changes(const struct session *session, const struct options *options, void *input)
{
	struct find_changed *command = input;
	struct bdio_changed_iter *iter;
	struct json json;

	command->session = session;
	fputs("btrfsdio: note: not shown: what was deleted or punched out, and data that was "
	      "overwritten in place (nodatacow)\n",
	      stderr);
	int err = bdio_changed_open(session->fs, session->root.subvol, command->since, &iter);
	if (err) {
		report_error(options->images[0], err);
		return EXIT_PROBLEM;
	}
	if (options->json) {
		command->json = &json;
		json_start(&json, stdout);
		json_u64(&json, "subvol", session->root.subvol);
		json_u64(&json, "since", command->since);
		json_u64(&json, "generation", session->info.generation);
		json_array(&json, "changes");
	}
	err = put_changes(command, iter);
	if (err < 0)
		report_error(options->images[0], err);
	if (command->json)
		json_finish(command->json);
	bdio_changed_close(iter);
	paths_free(&command->paths);
	return err ? EXIT_PROBLEM : EXIT_DONE;
}

int cmd_find_changed(int argc, char **argv)
{
	struct find_changed command = {0};
	const struct syntax syntax = {
		.args = "IMAGE",
		.doc = "Prints what changed in one subvolume after a generation: files created or "
		       "changed, byte ranges, names, extended attributes.",
		.json = true,
		.options = find_changed_options,
		.parse = parse_find_changed,
		.input = &command,
	};

	return session_run(&syntax, argc, argv, list_changes);
}
