/* SPDX-License-Identifier: MIT */
/* Trying one candidate: load it, examine it, keep it or let it go. */
#ifndef CUSHIM_LOADER_CANDIDATE_H
#define CUSHIM_LOADER_CANDIDATE_H

#include "loader/search_report.h"

/* A search under way. */
struct cushim__attempt {
    const struct cushim__kind *kind;
    struct cushim__search_report *search_report;
    enum cushim_origin origin;       /* of the candidates that are tried now */
    struct cushim__library *library; /* the chosen one, published; ends the search */
};

/* A file. */
void cushim__try_path(struct cushim__attempt *attempt, const char *path);

/* A name, as the dynamic linker finds it. */
void cushim__try_name(struct cushim__attempt *attempt, const char *name);

/* A name, if a library of that name is in the process already. */
void cushim__try_loaded(struct cushim__attempt *attempt, const char *name);

void cushim__try_resolver(struct cushim__attempt *attempt, cushim_resolver resolver, void *user);

/* Nothing: only writes down why. */
void cushim__try_nothing(struct cushim__attempt *attempt, const char *name,
                         enum cushim_verdict verdict, const char *detail);

#endif
