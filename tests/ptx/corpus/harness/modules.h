/* SPDX-License-Identifier: MIT */
/* The subjects, each a .cu and a .c of its name. */
#ifndef CUSHIM_TESTS_CORPUS_MODULES_H
#define CUSHIM_TESTS_CORPUS_MODULES_H

#include "corpus.h"

#define CORPUS_SUBJECTS(X)                                                                         \
    X(atomics)                                                                                     \
    X(attention)                                                                                   \
    X(bits)                                                                                        \
    X(blackwell)                                                                                   \
    X(bulk)                                                                                        \
    X(calls)                                                                                       \
    X(cipher)                                                                                      \
    X(cluster)                                                                                     \
    X(clusters)                                                                                    \
    X(control)                                                                                     \
    X(convert)                                                                                     \
    X(cub)                                                                                         \
    X(debug)                                                                                       \
    X(fragments)                                                                                   \
    X(groups)                                                                                      \
    X(half)                                                                                        \
    X(hints)                                                                                       \
    X(hopper)                                                                                      \
    X(int128)                                                                                      \
    X(integer)                                                                                     \
    X(levels)                                                                                      \
    X(libcu)                                                                                       \
    X(linear)                                                                                      \
    X(math)                                                                                        \
    X(matmul)                                                                                      \
    X(memory)                                                                                      \
    X(network)                                                                                     \
    X(newer)                                                                                       \
    X(order)                                                                                       \
    X(packed)                                                                                      \
    X(products)                                                                                    \
    X(pairs)                                                                                       \
    X(pipeline)                                                                                    \
    X(query)                                                                                       \
    X(reduce)                                                                                      \
    X(reference)                                                                                   \
    X(rounding)                                                                                    \
    X(runtime)                                                                                     \
    X(scan)                                                                                        \
    X(simulation)                                                                                  \
    X(small)                                                                                       \
    X(sort)                                                                                        \
    X(spaces)                                                                                      \
    X(stack)                                                                                       \
    X(stencil)                                                                                     \
    X(strings)                                                                                     \
    X(surface)                                                                                     \
    X(tensor)                                                                                      \
    X(texture)                                                                                     \
    X(video)                                                                                       \
    X(warp)                                                                                        \
    X(wide)

#define CORPUS_DECLARE(subject) extern const struct corpus_module corpus_##subject;
CORPUS_SUBJECTS(CORPUS_DECLARE)

#endif
