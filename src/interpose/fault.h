/* SPDX-License-Identifier: MIT */
/* Hooks that inject faults, and the rules they follow. Thread-safe. */
#ifndef CUSHIM_INTERPOSE_FAULT_H
#define CUSHIM_INTERPOSE_FAULT_H

#include <cushim/fault.h>

struct cushim__faults;
struct cushim__fault_set;

/* NULL when out of memory. params may be NULL. */
struct cushim__faults *cushim__faults_new(const struct cushim_faults_params *params);
void cushim__faults_free(struct cushim__faults *faults);

/* A rule that is known to be valid, for the functions of set. */
struct cushim__fault_rule {
    struct cushim_fault fault;
    struct cushim__fault_set *set;
};

/*
 * Finds the functions of a rule, and checks that it can do what it says. set is filled, and
 * fault completed. where begins the error text: "cushim_faults_add", "line 3".
 */
cushim_status cushim__fault_check(const char *function, struct cushim_fault *fault,
                                  struct cushim__fault_set *set, const char *call,
                                  const char *where);

/* Adds all rules or none; with seed, also that. */
cushim_status cushim__faults_add(struct cushim__faults *faults,
                                 const struct cushim__fault_rule *rules, size_t n_rules,
                                 const uint64_t *seed, const char *call);

/* Rules as text, from a file, or as the value of a variable of the environment. */
cushim_status cushim__faults_read(struct cushim__faults *faults, const char *text,
                                  const char *call);
cushim_status cushim__faults_read_file(struct cushim__faults *faults, const char *path,
                                       const char *call);
cushim_status cushim__faults_read_variable(struct cushim__faults *faults, const char *name,
                                           const char *value);

/* What the hooks before and after a call do. */
bool cushim__faults_before(struct cushim__faults *faults, struct cushim_call *call);
void cushim__faults_after(struct cushim__faults *faults, struct cushim_call *call);

/* Hooks that do it for as long as the faults are there. */
struct cushim_hooks cushim__faults_hooks(struct cushim__faults *faults);

/* How many calls of the functions of set were hit. */
uint64_t cushim__faults_injected(struct cushim__faults *faults,
                                 const struct cushim__fault_set *set);
void cushim__faults_reset(struct cushim__faults *faults);

#endif
