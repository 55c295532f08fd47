/* SPDX-License-Identifier: MIT */
/* The list of forms, and the kernels that they stand in. */
#ifndef CUSHIM_TESTS_PTX_FORMS_H
#define CUSHIM_TESTS_PTX_FORMS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_FORMS = 8192, MOST_SOURCES = 4, KERNEL_BYTES = 8192 };

/* Where the operand of an atomic operation lies: 16 bytes for each thread. */
enum form_room { NO_ROOM, GLOBAL_ROOM, SHARED_ROOM };

struct form {
    char name[96];    /* the instruction; behind a space, what is special about this use of it */
    char operands[8]; /* the result's class and those of the sources, see forms_kernel.c */
    char text[160];   /* operands as they are written, where that is not in their order */
    const char *more; /* operands behind the others */
    const char *before, *after; /* instructions around it */
    enum form_room room;
    unsigned target; /* what it needs: 90 and more */
    bool raw;        /* an approximate result is stored as it is */
};

#define EACH(name, ...)                                                                            \
    for (const char *const name##_list[] = {__VA_ARGS__, NULL}, *const *name##_at = name##_list,   \
                           *name;                                                                  \
         (name = *name##_at); name##_at++)

/* All of them; each name is there once. */
size_t list_forms(struct form *forms);

/* Those of video instructions, behind the first n; answers the list's new length. */
size_t list_video(struct form *forms, size_t n);

/* Those of the table of instructions that are not in the list yet; answers its new length. */
size_t list_table(struct form *forms, size_t n);

/* Why no form of the table's row `number` is in the list; NULL if there must be one. */
const char *form_left_out(size_t number);

/* A word that changes nothing for one thread, or has no place in these kernels. */
bool form_word_left_out(unsigned word);

/* A kernel k(a0, a1, a2, a3, out, room) with the instruction in it, on a line that begins with it;
 * `text` has KERNEL_BYTES. */
void write_kernel(const struct form *form, char *text);

/* The instruction alone, and what has to stand around it: it uses the registers of that kernel. */
void write_form(const struct form *form, char *text);

/* The words of the name, without what is special. */
int form_length(const struct form *form);

/* Hardware's results differ in their last bits, so what is compared is of what kind they are. */
bool form_is_approximate(const struct form *form);

#endif
