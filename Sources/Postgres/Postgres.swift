// The Postgres module is TrackMe's layer over libpq: one Swift type per statement with its SQL
// beside its types (Statements), values in binary format (Values), connections in pipeline mode on
// the event loop (Connection), a pool that is a pure state machine (Pool), reads that share one
// Sync per turn of the loop, writes and transactions with their own Sync (Database), and
// forward-only migrations (Migrations). Unsafe code stays in the files of Connection that call
// libpq.
