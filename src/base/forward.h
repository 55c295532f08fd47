/* SPDX-License-Identifier: MIT */
/*
 * What generated forwarders need: exported functions that jump through a table
 * which is found, and perhaps replaced, while the program runs.
 */
#ifndef CUSHIM_BASE_FORWARD_H
#define CUSHIM_BASE_FORWARD_H

#include "base/abi.h"
#include "base/publish.h"
#include "base/rows.h"

/* CUSHIM__FORWARD_HIDDEN: in a static library the names serve the program that links it, and
 * are not exported again by it. */
#ifdef CUSHIM__FORWARD_HIDDEN
#define CUSHIM__FORWARD __attribute__((visibility("hidden")))
#else
#define CUSHIM__FORWARD __attribute__((visibility("default")))
#endif

/* The table that is in force, read with CUSHIM__PUBLISHED(). */
typedef cushim__entry *const *cushim__forward;

#endif
