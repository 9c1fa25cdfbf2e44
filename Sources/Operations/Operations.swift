// Operations: services that every process needs. Settings from flags, environment, file and
// defaults; logs as JSON lines whose fields cannot hold a secret; metrics as Prometheus text;
// ordered start and graceful stop; and the file operations for state and secrets. It does not
// depend on HTTP or databases: those modules depend on it.
