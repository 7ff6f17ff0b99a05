/* tool: the D tools that are compiled in, with options of their own. */
#ifndef DWIRE_CLI_TOOL_H
#define DWIRE_CLI_TOOL_H
#include <stdio.h>

/* Is there a tool called so? */
int tool_find(const char *name);
/* Names of all tools, for -h. */
void tool_list(FILE *out);
/* Runs `name args...` through argv, argv[0] the tool's name. Gives the process's exit status. */
int tool_main(int argc, char **argv);
#endif
