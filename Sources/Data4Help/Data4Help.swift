// Data4Help: people upload data and third parties request it. The folders are the components of the
// design document: Authentication, HealthData, Import, SingleRequests, Accesses, AccountKeys; each
// has its routes, its rules about the database and its statements. A request arrives with the
// identity of its caller (see Services), so no handler reads a token.
