/* SPDX-License-Identifier: MIT */
/* tools/commands.h - the commands; each takes its line, argv[0] being "btrfsdio NAME" */
#ifndef BTRFSDIO_TOOLS_COMMANDS_H
#define BTRFSDIO_TOOLS_COMMANDS_H

#include "options.h"

/* Return: EXIT_DONE or EXIT_PROBLEM, after reporting. */
int cmd_bench(int argc, char **argv);
int cmd_cat(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_find_changed(int argc, char **argv);
int cmd_get(int argc, char **argv);
int cmd_image(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_ls(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_used(int argc, char **argv);

#endif
