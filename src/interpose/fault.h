/* SPDX-License-Identifier: MIT */
/*
 * Hooks that inject faults, and their rules. Thread-safe. fault_read.c reads rules from text, and
 * fault_check.c says whether a rule can do what it says.
 */
#ifndef CUSHIM_INTERPOSE_FAULT_H
#define CUSHIM_INTERPOSE_FAULT_H

#include <cushim/fault.h>

struct cushim__faults;
struct cushim__fault_set;

/* Returns a set of faults without rules. NULL when out of memory. params may be NULL. */
struct cushim__faults *cushim__faults_new(const struct cushim_faults_params *params);
void cushim__faults_free(struct cushim__faults *faults);

/* A rule that has been checked, and its functions. */
struct cushim__fault_rule {
    struct cushim_fault fault;
    struct cushim__fault_set *set;
};

/*
 * Finds the functions of a rule, and checks that the rule makes sense. Fills set and completes
 * fault. where is the beginning of the error text: "cushim_faults_add", "line 3".
 */
cushim_status cushim__fault_check(const char *function, struct cushim_fault *fault,
                                  struct cushim__fault_set *set, const char *call,
                                  const char *where);

/* Adds all rules, or none if there is no room. If seed is not NULL, it is set as well. */
cushim_status cushim__faults_add(struct cushim__faults *faults,
                                 const struct cushim__fault_rule *rules, size_t n_rules,
                                 const uint64_t *seed, const char *call);

/* Read rules from a text, from a file, or from the value of a variable of the environment. */
cushim_status cushim__faults_read(struct cushim__faults *faults, const char *text,
                                  const char *call);
cushim_status cushim__faults_read_file(struct cushim__faults *faults, const char *path,
                                       const char *call);
cushim_status cushim__faults_read_variable(struct cushim__faults *faults, const char *name,
                                           const char *value);

/* The actions of the hooks before and after a call. */
bool cushim__faults_before(struct cushim__faults *faults, struct cushim_call *call);
void cushim__faults_after(struct cushim__faults *faults, struct cushim_call *call);

/* Returns hooks with these actions. The faults must outlive them. */
struct cushim_hooks cushim__faults_hooks(struct cushim__faults *faults);

/* Returns how many calls of these functions were hit. */
uint64_t cushim__faults_injected(struct cushim__faults *faults,
                                 const struct cushim__fault_set *set);
void cushim__faults_reset(struct cushim__faults *faults);

#endif
