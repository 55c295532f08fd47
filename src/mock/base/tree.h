/* SPDX-License-Identifier: MIT */
/*
 * Sorted sets of what has a number: objects by slot, memory by address, queues by ticket. Finding,
 * adding and removing take time in the order of the logarithm of how many there are, whatever the
 * order in which they come and go. A member has its node inside of itself, so that nothing can
 * fail for lack of memory. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_BASE_TREE_H
#define CUSHIM_MOCK_BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: in no tree. Sorted by the major number, and by the minor one where that is equal. */
struct mock__tree_node {
    struct mock__tree_node *parent, *child[2];
    uint64_t major, minor, priority;
    bool inside; /* it is in a tree */
};

/* All zero: an empty tree, without sums. */
struct mock__tree {
    struct mock__tree_node *root;
    /*
     * Computes what a member knows of all members at and below it, from itself and from its
     * children, which are right already; or NULL.
     */
    void (*sum)(struct mock__tree_node *node);
};

/* The member that a node is inside of; NULL for NULL. */
#define MOCK__TREE_MEMBER(node, type, name)                                                        \
    ((type *) mock__tree_member((node), offsetof(type, name)))

static inline void *mock__tree_member(struct mock__tree_node *node, size_t offset)
{
    return node ? (char *) node - offset : NULL;
}

void mock__tree_add(struct mock__tree *tree, struct mock__tree_node *node, uint64_t major,
                    uint64_t minor);

/* Does nothing if the node is in no tree. */
void mock__tree_remove(struct mock__tree *tree, struct mock__tree_node *node);

/* What the sums are made of has changed in one member. */
void mock__tree_changed(const struct mock__tree *tree, struct mock__tree_node *node);

/* The first member that is not before the numbers, and the last that is before them; or NULL. */
struct mock__tree_node *mock__tree_from(const struct mock__tree *tree, uint64_t major,
                                        uint64_t minor);
struct mock__tree_node *mock__tree_before(const struct mock__tree *tree, uint64_t major,
                                          uint64_t minor);

/* The member with these numbers, NULL if there is none. */
struct mock__tree_node *mock__tree_find(const struct mock__tree *tree, uint64_t major,
                                        uint64_t minor);

/* The first member of all, and the next one; the last one, and the one before; or NULL. */
struct mock__tree_node *mock__tree_first(const struct mock__tree *tree);
struct mock__tree_node *mock__tree_next(const struct mock__tree_node *node);
struct mock__tree_node *mock__tree_last(const struct mock__tree *tree);
struct mock__tree_node *mock__tree_previous(const struct mock__tree_node *node);

#endif
