/* SPDX-License-Identifier: MIT */
/*
 * Sets whose members are sorted by a number: objects by slot, memory by address, queues by ticket.
 * Finding, adding and removing a member take logarithmic time, in whatever order members are added
 * and removed. Each member contains its node, so adding it allocates nothing and cannot fail.
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_BASE_TREE_H
#define CUSHIM_MOCK_BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A node that is all zero is in no tree. Nodes are sorted by the major number, and by the minor
 * number if the major numbers are equal.
 */
struct mock__tree_node {
    struct mock__tree_node *parent, *child[2];
    uint64_t major, minor, priority;
    bool inside; /* it is in a tree */
};

/* A tree that is all zero is empty and has no sums. */
struct mock__tree {
    struct mock__tree_node *root;
    /*
     * Computes the sum of a member and all members below it, from the member itself and from the
     * sums of its children, which are computed already. NULL if the tree has no sums.
     */
    void (*sum)(struct mock__tree_node *node);
};

/* Returns the member that contains a node, or NULL if the node is NULL. */
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

/* Computes the sums again after a member has changed a value that the sums depend on. */
void mock__tree_changed(const struct mock__tree *tree, struct mock__tree_node *node);

/*
 * Returns the first node that is not before the numbers, or the last one that is; NULL if there is
 * none.
 */
struct mock__tree_node *mock__tree_from(const struct mock__tree *tree, uint64_t major,
                                        uint64_t minor);
struct mock__tree_node *mock__tree_before(const struct mock__tree *tree, uint64_t major,
                                          uint64_t minor);

/* Returns the node with these numbers, or NULL if there is none. */
struct mock__tree_node *mock__tree_find(const struct mock__tree *tree, uint64_t major,
                                        uint64_t minor);

/* Return the first, the next, the last and the previous node, or NULL if there is none. */
struct mock__tree_node *mock__tree_first(const struct mock__tree *tree);
struct mock__tree_node *mock__tree_next(const struct mock__tree_node *node);
struct mock__tree_node *mock__tree_last(const struct mock__tree *tree);
struct mock__tree_node *mock__tree_previous(const struct mock__tree_node *node);

#endif
