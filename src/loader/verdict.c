/* SPDX-License-Identifier: MIT */
#include "loader/verdict.h"

enum cushim_verdict cushim__verdict_of(enum cushim__library_state state)
{
    switch (state) {
    case CUSHIM__LIBRARY_FITS:
        return CUSHIM_VERDICT_CHOSEN;
    case CUSHIM__LIBRARY_ABSENT:
        return CUSHIM_VERDICT_ABSENT;
    case CUSHIM__LIBRARY_UNREADABLE:
        return CUSHIM_VERDICT_UNREADABLE;
    case CUSHIM__LIBRARY_CIRCLE:
    case CUSHIM__LIBRARY_FOLDER:
    case CUSHIM__LIBRARY_SPECIAL:
        return CUSHIM_VERDICT_NOT_A_FILE;
    case CUSHIM__LIBRARY_EMPTY:
        return CUSHIM_VERDICT_EMPTY;
    case CUSHIM__LIBRARY_NO_ELF:
        return CUSHIM_VERDICT_NOT_ELF;
    case CUSHIM__LIBRARY_OTHER_MACHINE:
        return CUSHIM_VERDICT_OTHER_MACHINE;
    case CUSHIM__LIBRARY_CUT_SHORT:
        break;
    }
    return CUSHIM_VERDICT_LOAD_FAILED;
}
