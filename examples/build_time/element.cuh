// A header of the kernel: when it changes, saxpy.h is written again.
#pragma once

typedef float element;
