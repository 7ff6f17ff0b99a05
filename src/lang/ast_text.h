/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ast_text: types and expressions written back as D. */
#ifndef DWIRE_LANG_AST_TEXT_H
#define DWIRE_LANG_AST_TEXT_H
#include <stdio.h>

#include "lang/ast.h"

/* The declaration of name (NULL: none) with that type; a struct's body becomes { ... }. */
void ast_print_type(FILE *out, const struct tyx *ty, const char *name);
/* A string in quotes, with D's escapes. */
void ast_print_string(FILE *out, const char *s, size_t len);
/* self->x, this->x or x. */
void ast_print_variable(FILE *out, enum var_scope scope, const char *name);
#endif
