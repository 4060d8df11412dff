/* SPDX-License-Identifier: MIT */
/* tools/cmd_ls.c - list directories */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "commands.h"
#include "entries.h"
#include "json.h"
#include "print.h"
#include "report.h"
#include "session.h"
#include "walk.h"

struct ls {
	bool is_long, recursive, raw, nul, in_order;
	bool headers;	  /* a line before each directory says which */
	bool some_listed; /* an empty line before the next one */
	bool failed;
	const struct session *session;
	struct json *json; /* NULL: text */
	struct walk walk;
};

enum { OPT_RAW_NAMES = OPT_OWN };

static const struct argp_option ls_options[] = {
	{"long", 'l', 0, 0, "Mode, links, owner, group, size, time", 0},
	{"recursive", 'R', 0, 0, "Directories below, too", 0},
	{"unsorted", 'U', 0, 0, "In the order of the directory, not by name", 0},
	{"null", '0', 0, 0, "Names as they are, each with a NUL byte behind it", 0},
	{"raw-names", OPT_RAW_NAMES, 0, 0, "Print names as they are, not escaped", 0},
	{0},
};

static error_t parse_ls(int key, char *arg, struct argp_state *state)
{
	struct ls *ls = state->input;

	(void)arg;
	switch (key) {
	case 'l':
		ls->is_long = true;
		return 0;
	case 'R':
		ls->recursive = true;
		return 0;
	case 'U':
		ls->in_order = true;
		return 0;
	case '0':
		ls->nul = true;
		return 0;
	case OPT_RAW_NAMES:
		ls->raw = true;
		return 0;
	case ARGP_KEY_END:
		if (ls->nul && ls->is_long)
			argp_error(state, "-0 and -l exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void put_name(const struct ls *ls, const char *name, size_t len)
{
	if (ls->raw || ls->nul)
		fwrite(name, 1, len, stdout);
	else
		print_escaped(stdout, name, len);
}

/* --- one entry --- */

static char *read_target(struct ls *ls, const struct bdio_stat *stat, const char *path, size_t *len)
{
	if (!S_ISLNK(stat->mode))
		return NULL;
	char *target = session_readlink(ls->session, stat->ino, path, len);
	if (!target)
		ls->failed = true;
	return target;
}

static void put_size(const struct bdio_stat *stat)
{
	if (S_ISCHR(stat->mode) || S_ISBLK(stat->mode))
		printf("%6u,%5u", major(stat->rdev), minor(stat->rdev));
	else
		printf("%12" PRIu64, stat->size);
}

static void put_long(const struct bdio_stat *stat)
{
	char mode[MODE_TEXT_MAX], time[TIME_TEXT_MAX];

	printf("%s %3" PRIu32 " %5" PRIu32 " %5" PRIu32 " ", mode_text(stat->mode, mode),
	       stat->nlink, stat->uid, stat->gid);
	put_size(stat);
	printf(" %s ", short_time_text(&stat->mtime, time));
}

static void put_text(struct ls *ls, const struct dir_entry *entry, const char *name,
		     const char *path)
{
	struct bdio_stat stat = {0};

	if (ls->is_long) {
		int err = bdio_stat(ls->session->fs, entry->ino, &stat);
		if (err) {
			report_error(path, err);
			ls->failed = true;
			printf("?????????? %3s %5s %5s %12s %19s ", "?", "?", "?", "?", "?");
		} else {
			put_long(&stat);
		}
	}
	put_name(ls, name, strlen(name));
	size_t len;
	char *target = read_target(ls, &stat, path, &len);
	if (target) {
		fputs(" -> ", stdout);
		put_name(ls, target, len);
		free(target);
	}
	putchar(ls->nul ? '\0' : '\n');
}

static void put_json_stat(struct ls *ls, const struct dir_entry *entry, const char *path)
{
	struct bdio_stat stat;

	int err = bdio_stat(ls->session->fs, entry->ino, &stat);
	if (err) {
		report_error(path, err);
		ls->failed = true;
		return;
	}
	json_u64(ls->json, "mode", stat.mode);
	json_u64(ls->json, "nlink", stat.nlink);
	json_u64(ls->json, "uid", stat.uid);
	json_u64(ls->json, "gid", stat.gid);
	json_u64(ls->json, "size", stat.size);
	json_time(ls->json, "mtime", stat.mtime.sec, stat.mtime.nsec);
	if (S_ISCHR(stat.mode) || S_ISBLK(stat.mode)) {
		json_u64(ls->json, "major", major(stat.rdev));
		json_u64(ls->json, "minor", minor(stat.rdev));
	}
	size_t len;
	char *target = read_target(ls, &stat, path, &len);
	if (target)
		json_bytes(ls->json, "target", target, len);
	free(target);
}

static void put_json(struct ls *ls, const struct dir_entry *entry, const char *path)
{
	json_object(ls->json, NULL);
	json_bytes(ls->json, "path", path, strlen(path));
	json_bytes(ls->json, "name", entry->name, entry->len);
	json_text(ls->json, "type", ftype_name(entry->type));
	json_u64(ls->json, "subvol", entry->ino.subvol);
	json_u64(ls->json, "inode", entry->ino.inode);
	if (entry->is_subvol)
		json_bool(ls->json, "subvolume_root", true);
	if (ls->is_long)
		put_json_stat(ls, entry, path);
	json_end(ls->json);
}

/* --- directories --- */

static void out_of_memory(struct ls *ls)
{
	report_errno(NULL, ENOMEM);
	ls->failed = true;
}

static void push(struct ls *ls, struct bdio_ino ino, struct place *parent, const char *name)
{
	int err = walk_push(&ls->walk, ino, parent, name);

	if (err == 0)
		return;
	const char *path = walk_path(&ls->walk, parent, name);
	if (err == -ELOOP)
		report(path,
		       "corrupt directory: inode %" PRIu64 " of subvolume %" PRIu64
		       ", found under a second path, not listed again",
		       ino.inode, ino.subvol);
	else
		report_errno(path, -err);
	ls->failed = true;
}

static void put_header(struct ls *ls, const char *path)
{
	if (!ls->headers || ls->nul || ls->json)
		return;
	if (ls->some_listed)
		putchar('\n');
	put_name(ls, path, strlen(path));
	fputs(":\n", stdout);
}

static void list_place(struct ls *ls, struct place *place)
{
	struct entries entries;
	char *path = walk_path(&ls->walk, place->parent, place->name);

	if (!path) {
		out_of_memory(ls);
		return;
	}
	put_header(ls, path);
	ls->some_listed = true;
	if (entries_read(ls->session->fs, place->ino, path, ls->in_order, &entries))
		ls->failed = true;
	for (size_t i = 0; i < entries.count && !ferror(stdout); i++) {
		struct dir_entry *entry = entries.list[i];
		path = walk_path(&ls->walk, place, entry->name);
		if (!path)
			out_of_memory(ls);
		else if (ls->json)
			put_json(ls, entry, path);
		else
			put_text(ls, entry, ls->nul && ls->recursive ? path : entry->name, path);
	}
	/* Pushed backwards: the first one is listed next. */
	for (size_t i = entries.count; ls->recursive && i-- > 0;) {
		struct dir_entry *entry = entries.list[i];
		if (entry->type == BDIO_FT_DIR && entry->ino.inode != BDIO_INODE_STUB)
			push(ls, entry->ino, place, entry->name);
	}
	entries_free(&entries);
}

static void list_tree(struct ls *ls, struct bdio_ino top, const char *path)
{
	struct place *place;

	push(ls, top, NULL, path);
	while (!ferror(stdout) && (place = walk_pop(&ls->walk)))
		list_place(ls, place);
	walk_free(&ls->walk);
}

/* --- the command --- */

static void list_file(struct ls *ls, const struct bdio_stat *stat, const char *path)
{
	static const uint8_t types[16] = {
		[S_IFREG >> 12] = BDIO_FT_FILE,	  [S_IFCHR >> 12] = BDIO_FT_CHRDEV,
		[S_IFBLK >> 12] = BDIO_FT_BLKDEV, [S_IFIFO >> 12] = BDIO_FT_FIFO,
		[S_IFSOCK >> 12] = BDIO_FT_SOCK,  [S_IFLNK >> 12] = BDIO_FT_SYMLINK,
	};
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct dir_entry *entry =
		entry_new(stat->ino, types[(stat->mode & S_IFMT) >> 12], name, strlen(name));

	if (!entry)
		out_of_memory(ls);
	else if (ls->json)
		put_json(ls, entry, path);
	else
		put_text(ls, entry, path, path);
	free(entry);
	ls->some_listed = true;
}

/* As ls(1): the long format shows a link, the short one what it points to, if that is there. */
static int look_up(const struct ls *ls, const char *path, struct bdio_ino *out)
{
	if (!ls->is_long && bdio_lookup(ls->session->fs, ls->session->root, path, strlen(path),
					BDIO_LOOKUP_FOLLOW, out) == 0)
		return 0;
	return session_lookup(ls->session, path, 0, out);
}

static void list_path(struct ls *ls, const char *path)
{
	struct bdio_ino ino;
	struct bdio_stat stat;

	if (look_up(ls, path, &ino)) {
		ls->failed = true;
		return;
	}
	int err = bdio_stat(ls->session->fs, ino, &stat);
	if (err) {
		report_error(path, err);
		ls->failed = true;
	} else if (S_ISDIR(stat.mode)) {
		list_tree(ls, ino, path);
	} else {
		list_file(ls, &stat, path);
	}
}

static int list_paths(const struct session *session, const struct options *options, void *input)
{
	struct ls *ls = input;
	struct json json;

	ls->session = session;
	if (options->json) {
		ls->json = &json;
		json_start(&json, stdout);
		json_array(&json, "entries");
	}
	ls->headers = ls->recursive || options->num_args > 1;
	for (size_t i = 0; i < options->num_args && !ferror(stdout); i++)
		list_path(ls, options->args[i]);
	if (options->num_args == 0)
		list_path(ls, "/");
	if (ls->json)
		json_finish(ls->json);
	return ls->failed ? EXIT_PROBLEM : EXIT_DONE;
}

int cmd_ls(int argc, char **argv)
{
	struct ls ls = {0};
	const struct syntax syntax = {
		.args = "IMAGE [PATH...]",
		.doc = "Lists directories, by default the root. Bytes of names that are not "
		       "printable are shown as \\xNN.",
		.max_args = UINT_MAX,
		.json = true,
		.options = ls_options,
		.parse = parse_ls,
		.input = &ls,
	};

	return session_run(&syntax, argc, argv, list_paths);
}
