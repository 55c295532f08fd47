/* SPDX-License-Identifier: MIT */
/* Functions of the program that release its data. */
#ifndef CUSHIM_BASE_RELEASE_H
#define CUSHIM_BASE_RELEASE_H

/*
 * Calls release(data), unless release is NULL. Such a function may free objects that have data of
 * their own, and so on without end. Where a thread is in one already, the next one is called as
 * soon as that has returned, so that the stack does not grow with the number of objects.
 */
void cushim__release(void (*release)(void *data), void *data);

#endif
