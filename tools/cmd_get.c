/* SPDX-License-Identifier: MIT */
/* tools/cmd_get.c - copy files out of an image, recursively, verified */
#include <inttypes.h>
#include <string.h>
#include "commands.h"
#include "json.h"
#include "print.h"
#include "report.h"
#include "session.h"

enum {
	OPT_ON_ERROR = OPT_OWN,
	OPT_THREADS,
	OPT_NO_OWNER,
	OPT_NO_XATTR,
};

#define MAX_THREADS 64

struct get {
	struct bdio_extract_opts opts;
	struct json json;
	bool is_json;
};

static const struct argp_option get_options[] = {
	{"on-error", OPT_ON_ERROR, "zero|skip|stop", 0,
	 "Bad sectors become zeros (default) or holes, or end the copy", 0},
	{"threads", OPT_THREADS, "N", 0, "Copy with N threads, 1 to 64", 0},
	{"no-owner", OPT_NO_OWNER, 0, 0, "Leave owners as they come (default unless root)", 0},
	{"no-xattr", OPT_NO_XATTR, 0, 0, "Leave extended attributes out", 0},
	{0},
};

static error_t parse_get(int key, char *arg, struct argp_state *state)
{
	static const char *const choices[] = {[BDIO_ON_ERROR_ZERO] = "zero",
					      [BDIO_ON_ERROR_SKIP] = "skip",
					      [BDIO_ON_ERROR_STOP] = "stop",
					      NULL};
	struct get *get = state->input;

	switch (key) {
	case OPT_ON_ERROR:
		get->opts.on_error = option_choice(state, "on-error", arg, choices);
		return 0;
	case OPT_THREADS:
		get->opts.threads = (uint32_t)option_number(state, "threads", arg, 1, MAX_THREADS);
		return 0;
	case OPT_NO_OWNER:
		get->opts.flags |= BDIO_EXTRACT_NO_OWNER;
		return 0;
	case OPT_NO_XATTR:
		get->opts.flags |= BDIO_EXTRACT_NO_XATTR;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void put_json_loss(struct json *json, const char *path, const struct bdio_error *error)
{
	char message[2 * BDIO_ERROR_MESSAGE_MAX + 512];
	size_t len = bdio_error_format(error, message, sizeof(message));

	json_object(json, NULL);
	json_bytes(json, "path", path, strlen(path));
	json_s64(json, "errno", -error->code);
	json_bytes(json, "message", message, len < sizeof(message) ? len : sizeof(message) - 1);
	if (error->has & BDIO_ERROR_FILE) {
		json_u64(json, "offset", error->file_offset);
		json_u64(json, "length", error->file_length);
	}
	json_end(json);
}

static void lost(void *priv, const char *path, const struct bdio_error *error)
{
	struct get *get = priv;
	char message[2 * BDIO_ERROR_MESSAGE_MAX + 512];

	if (get->is_json)
		put_json_loss(&get->json, path, error);
	if (!(error->has & BDIO_ERROR_FILE)) {
		report_record(path, error);
		return;
	}
	bdio_error_format(error, message, sizeof(message));
	report(path, "lost %" PRIu64 " bytes at offset %" PRIu64 ": %s", error->file_length,
	       error->file_offset, message);
}

static int progress(void *priv, const struct bdio_extract_progress *done)
{
	char size[SIZE_TEXT_MAX];

	(void)priv;
	if (progress_due())
		progress_show("%" PRIu64 " files, %" PRIu64 " directories, %s, %" PRIu64 " losses",
			      done->files, done->dirs, size_text(done->bytes, size), done->errors);
	return 0;
}

/* The last component of a path; NULL when it has no name: "/", "..". */
static const char *last_name(char *path)
{
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] == '/')
		path[--len] = '\0';
	char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return NULL;
	return name;
}

static int copy(const struct session *session, const struct options *options, struct get *get,
		struct bdio_extract_progress *done)
{
	struct bdio_ino ino;
	char *path = options->args[0];
	const char *dest = options->args[1];

	int err = session_lookup(session, path, 0, &ino);
	if (err)
		return err;
	err = bdio_extract(session->fs, ino, dest, last_name(path), &get->opts, done);
	progress_clear();
	if (err < 0)
		report_error(dest, err);
	return err;
}

static int run_get(const struct session *session, const struct options *options, void *input)
{
	struct get *get = input;
	struct bdio_extract_progress done = {0};

	get->opts.size = sizeof(get->opts);
	get->opts.lost = lost;
	get->opts.progress = progress;
	get->opts.priv = get;
	get->is_json = options->json;
	if (get->is_json) {
		json_start(&get->json, stdout);
		json_array(&get->json, "lost");
	}
	int err = copy(session, options, get, &done);
	if (err > 0)
		report(options->args[1], "%" PRIu64 " losses", done.errors);
	if (get->is_json) {
		json_end(&get->json);
		json_u64(&get->json, "files", done.files);
		json_u64(&get->json, "dirs", done.dirs);
		json_u64(&get->json, "others", done.others);
		json_u64(&get->json, "bytes", done.bytes);
		json_u64(&get->json, "errors", done.errors);
		json_bool(&get->json, "complete", err == 0);
		json_finish(&get->json);
	}
	return err ? EXIT_PROBLEM : EXIT_DONE;
}

int cmd_get(int argc, char **argv)
{
	struct get get = {0};
	const struct syntax syntax = {
		.args = "IMAGE PATH DEST",
		.doc = "Copies a file, or a directory with all below it, to DEST: the contents of "
		       "a "
		       "directory go into DEST; a file becomes DEST, or goes into the directory "
		       "DEST. What is lost is listed on standard error.",
		.min_args = 2,
		.max_args = 2,
		.json = true,
		.options = get_options,
		.parse = parse_get,
		.input = &get,
	};

	return session_run(&syntax, argc, argv, run_get);
}
