// Operations: what every process of the product does around its real work. Settings from flag,
// environment, file and default; logs as JSON lines that have no place for a secret; metrics as
// Prometheus text; ordered start and graceful stop; and the few file calls that state and secrets
// need. It knows nothing of HTTP or databases: those modules call it.
