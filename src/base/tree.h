/* SPDX-License-Identifier: MIT */
/*
 * Sets whose members are sorted by a number: parts of memory by their beginning, objects by slot.
 * Finding, adding and removing a member take logarithmic time, in whatever order members are added
 * and removed. Each member contains its node, so adding it allocates nothing and cannot fail.
 * A tree has no lock of its own.
 */
#ifndef CUSHIM_BASE_TREE_H
#define CUSHIM_BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A node that is all zero is in no tree. Nodes are sorted by the major number, and by the minor
 * number if the major numbers are equal.
 */
struct cushim__tree_node {
    struct cushim__tree_node *parent, *child[2];
    uint64_t major, minor, priority;
    bool inside; /* it is in a tree */
};

/* A tree that is all zero is empty and has no sums. */
struct cushim__tree {
    struct cushim__tree_node *root;
    /*
     * Computes the sum of a member and all members below it, from the member itself and from the
     * sums of its children, which are computed already. NULL if the tree has no sums.
     */
    void (*sum)(struct cushim__tree_node *node);
};

/* Returns the member that contains a node, or NULL if the node is NULL. */
#define CUSHIM__TREE_MEMBER(node, type, name)                                                      \
    ((type *) cushim__tree_member((node), offsetof(type, name)))

static inline void *cushim__tree_member(struct cushim__tree_node *node, size_t offset)
{
    return node ? (char *) node - offset : NULL;
}

void cushim__tree_add(struct cushim__tree *tree, struct cushim__tree_node *node, uint64_t major,
                      uint64_t minor);

/* Does nothing if the node is in no tree. */
void cushim__tree_remove(struct cushim__tree *tree, struct cushim__tree_node *node);

/* Computes the sums again after a member has changed a value that the sums depend on. */
void cushim__tree_changed(const struct cushim__tree *tree, struct cushim__tree_node *node);

/*
 * Returns the first node that is not before the numbers, or the last one that is; NULL if there is
 * none.
 */
struct cushim__tree_node *cushim__tree_from(const struct cushim__tree *tree, uint64_t major,
                                            uint64_t minor);
struct cushim__tree_node *cushim__tree_before(const struct cushim__tree *tree, uint64_t major,
                                              uint64_t minor);

/* Returns the node with these numbers, or NULL if there is none. */
struct cushim__tree_node *cushim__tree_find(const struct cushim__tree *tree, uint64_t major,
                                            uint64_t minor);

/* Return the first, the next, the last and the previous node, or NULL if there is none. */
struct cushim__tree_node *cushim__tree_first(const struct cushim__tree *tree);
struct cushim__tree_node *cushim__tree_next(const struct cushim__tree_node *node);
struct cushim__tree_node *cushim__tree_last(const struct cushim__tree *tree);
struct cushim__tree_node *cushim__tree_previous(const struct cushim__tree_node *node);

#endif
