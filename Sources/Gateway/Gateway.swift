// Gateway: the only public entrance. A request passes phases, each a function in its own file with
// its failures documented: canonical path, route, admission by address, token, admission by
// account, body against its schema, choice of a replica, forwarding, relaying, recording. From
// socket to socket everything runs synchronously on the connection's loop. Sessions, schemas and
// limits are in memory, so no request queries the database.
