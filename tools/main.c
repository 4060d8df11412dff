/* SPDX-License-Identifier: MIT */
/* tools/main.c - the command `btrfsdio`: finds the command that its line names */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "report.h"

static const struct command {
	const char *name;
	const char *title; /* argv[0] of its line, for its messages */
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"info", "btrfsdio info", cmd_info, "superblock, devices, chunks, usage, subvolumes"},
	{"ls", "btrfsdio ls", cmd_ls, "list directories"},
	{"stat", "btrfsdio stat", cmd_stat, "attributes of files"},
	{"cat", "btrfsdio cat", cmd_cat, "contents of files, verified"},
	{"map", "btrfsdio map", cmd_map, "extents, physical places and checksums of files"},
	{"find-changed", "btrfsdio find-changed", cmd_find_changed,
	 "what changed since a generation"},
	{"get", "btrfsdio get", cmd_get, "copy files out, recursively, verified"},
	{"used", "btrfsdio used", cmd_used, "ranges of the devices that are in use"},
	{"image", "btrfsdio image", cmd_image, "copy the used ranges of every device, verified"},
	{"dump", "btrfsdio dump", cmd_dump, "superblock and trees as text"},
	{"bench", "btrfsdio bench", cmd_bench, "measure reads"},
};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_version(FILE *out, struct argp_state *state)
{
	(void)state;
	fprintf(out, "btrfsdio %d.%d.%d (libbtrfsdio %s)\n", BDIO_VERSION_MAJOR, BDIO_VERSION_MINOR,
		BDIO_VERSION_PATCH, bdio_version());
}

static void print_help(FILE *out)
{
	fputs("Usage: btrfsdio COMMAND [OPTION...] IMAGE [PATH...]\n"
	      "Reads btrfs images and devices without a mount; every checksum is verified.\n\n",
	      out);
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		fprintf(out, "  %-14s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`btrfsdio COMMAND --help' lists the options of a command.\n"
	      "Exit status: 0 done, 1 problems found or failed, 2 usage error.\n",
	      out);
}

/* Whether standard output is a pipe that nobody reads any more. */
static bool reader_is_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* Output that did not reach its file is a failure; a reader that went away needs no words. */
static void close_stdout(void)
{
	bool quiet = reader_is_gone();
	bool failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return;
	if (!quiet)
		report("standard output", "%s", errno ? strerror(errno) : "write error");
	_exit(EXIT_PROBLEM);
}

int main(int argc, char **argv)
{
	atexit(close_stdout);
	argp_err_exit_status = EXIT_USAGE;
	argp_program_version_hook = print_version;

	const char *name = argc > 1 ? argv[1] : "";
	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0) {
			argv[1] = (char *)commands[i].title;
			return commands[i].run(argc - 1, argv + 1);
		}
	}
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		print_version(stdout, NULL);
		return EXIT_DONE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0) {
		print_help(stdout);
		return EXIT_DONE;
	}
	if (*name)
		report(NULL, "no such command: '%s'", name);
	print_help(stderr);
	return EXIT_USAGE;
}
