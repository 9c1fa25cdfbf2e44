// Gateway: the only public entrance. A request passes phases, each a function in a file of its own
// whose comment names its failure: canonical path, route, admission by address, token, admission by
// account, body against its schema, choice of a replica, forwarding, relaying, recording. From
// socket to socket everything is synchronous on the connection's loop; sessions, schemas and limits
// are in memory, so that no request asks the database.
