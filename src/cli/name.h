/* name: the name that the command was called by, in messages. */
#ifndef DWIRE_CLI_NAME_H
#define DWIRE_CLI_NAME_H
#include <stdio.h>

/* "dtrace" when we are installed under that name (or one that ends so), else "dwire". */
const char *name_of_command(const char *argv0);
/* Where messages go: stderr; for another name than "dwire" a stream before it that puts that name in place of "dwire: "
 * at the start of a line. NULL: no memory. Lives until the process ends. */
FILE *name_messages(const char *name);
#endif
