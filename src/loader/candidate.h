/* SPDX-License-Identifier: MIT */
/* Trying one candidate: it is loaded and examined, and then kept or closed. */
#ifndef CUSHIM_LOADER_CANDIDATE_H
#define CUSHIM_LOADER_CANDIDATE_H

#include "loader/search_report.h"

/* A search that is running. */
struct cushim__attempt {
    const struct cushim__kind *kind;
    struct cushim__search_report *search_report;
    enum cushim_origin origin;       /* of the candidates that are tried now */
    struct cushim__library *library; /* the chosen one, published; ends the search */
};

/* Tries a file. */
void cushim__try_path(struct cushim__attempt *attempt, const char *path);

/* Tries a name, which the dynamic linker looks up. */
void cushim__try_name(struct cushim__attempt *attempt, const char *name);

/* Tries a name, if a library of that name is already in the process. */
void cushim__try_loaded(struct cushim__attempt *attempt, const char *name);

void cushim__try_resolver(struct cushim__attempt *attempt, cushim_resolver resolver, void *user);

/* Tries nothing, and only notes why. */
void cushim__try_nothing(struct cushim__attempt *attempt, const char *name,
                         enum cushim_verdict verdict, const char *detail);

#endif
