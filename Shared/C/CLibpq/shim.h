#include <libpq-fe.h>
#include <libpq-events.h>

/// Ends a segment with its Sync. From version 17 on libpq can leave the sending to PQflush, so that
/// what is queued within one turn of a loop leaves in one system call.
static inline int ezwallet_end_segment(PGconn *connection) {
#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC
    return PQsendPipelineSync(connection);
#else
    return PQpipelineSync(connection);
#endif
}

