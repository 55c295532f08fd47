/* SPDX-License-Identifier: MIT */
/*
 * The noting of accesses for the race check, before they are made (note.c). What compiled code does
 * itself is in note_lines.c and note_whole.c, of global memory, and in note_granules.c, of shared
 * memory.
 */
#ifndef CUSHIM_MOCK_PTX_JIT_NOTE_H
#define CUSHIM_MOCK_PTX_JIT_NOTE_H

#include "mock/ptx/jit/access.h"

/* Loads what all notes of a function need. */
void ptx__jit_begin_notes(struct ptx__jit_emit *emit);

/* Notes the access if that is wanted. */
void ptx__jit_note(const struct ptx__jit_access *access, struct ptx__jit_value wanted);

/*
 * Whether compiled code looks at the words of lines of global memory, and then, how: it goes to the
 * one label if all of them would stay as they are, and to the other otherwise.
 */
bool ptx__jit_sees_lines(const struct ptx__jit_access *access);
void ptx__jit_look_at_lines(const struct ptx__jit_access *access, const char *stay,
                            const char *otherwise, size_t number);

/* Returns the word of a line that this block alone has used, with flags. */
struct ptx__jit_value ptx__jit_own_line(const struct ptx__jit_access *access, uint64_t flags);

/* The same where the access uses whole lines, which change from unused to those of one block. */
bool ptx__jit_notes_whole_lines(const struct ptx__jit_access *access);
void ptx__jit_note_whole_lines(const struct ptx__jit_access *access, const char *noted,
                               const char *otherwise, size_t number);

/*
 * Whether compiled code notes a read of shared memory itself, and then, how; it goes elsewhere if
 * it may not, or if something is not written.
 */
bool ptx__jit_reads_granules(const struct ptx__jit_access *access);
void ptx__jit_read_granules(const struct ptx__jit_access *access, const char *otherwise,
                            size_t number);

#endif
