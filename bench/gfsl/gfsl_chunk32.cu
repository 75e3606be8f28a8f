/* gfsl_chunk32.cu - operations of all kinds on a skiplist with chunks of 32 slots. */
#define PLEACH_CHUNK 32
#define GFSL_RUN gfsl_run_chunk32
#include "gfsl_skiplist.h"
