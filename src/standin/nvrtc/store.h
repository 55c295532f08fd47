/* SPDX-License-Identifier: MIT */
/* The file of answers: looking one up, and adding one. */
#ifndef CUSHIM_STANDIN_NVRTC_STORE_H
#define CUSHIM_STANDIN_NVRTC_STORE_H

#include "standin/nvrtc/answer.h"

/*
 * Reads a file. If it is absent, there are no answers, unless it must be there. On failure returns
 * false and writes the reason, and the caller calls answers_finish() in both cases.
 */
bool store_read(const char *path, bool must_exist, struct answers *ret_answers,
                struct cushim__str *why);

/*
 * Finds the answer to a question (program.h). Of the files that the program includes, those that
 * are on this machine must be as they were. Returns NULL if there is none, and writes which answer
 * comes closest.
 */
struct answer *store_find(const struct answers *answers, const struct answer *question,
                          struct cushim__str *why);

/*
 * Adds an answer to a file, or replaces the one to the same question; other processes may do the
 * same at that time. nvrtc has what NVRTC says of itself. On failure returns false and writes the
 * reason.
 */
bool store_add(const char *path, const struct answers *nvrtc, struct answer *answer,
               struct cushim__str *why);

#endif
