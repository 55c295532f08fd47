/* SPDX-License-Identifier: MIT */
/*
 * Types for generated forwarders: exported functions that jump through a table. The table is found,
 * and may be replaced, while the program runs.
 */
#ifndef CUSHIM_BASE_FORWARD_H
#define CUSHIM_BASE_FORWARD_H

#include "base/abi.h"
#include "base/publish.h"
#include "base/rows.h"

/*
 * CUSHIM__FORWARD_HIDDEN is for a static library: the program that links it uses the names, but
 * does not export them again.
 */
#ifdef CUSHIM__FORWARD_HIDDEN
#define CUSHIM__FORWARD __attribute__((visibility("hidden")))
#else
#define CUSHIM__FORWARD __attribute__((visibility("default")))
#endif

/* The current table, read with CUSHIM__PUBLISHED(). */
typedef cushim__entry *const *cushim__forward;

#endif
