/* gfsl_chunk16.cu - operations of all kinds on a skiplist with chunks of 16 slots. */
#define PLEACH_CHUNK 16
#define GFSL_RUN gfsl_run_chunk16
#include "gfsl_skiplist.h"
