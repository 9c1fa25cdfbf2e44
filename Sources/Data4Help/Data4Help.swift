// Data4Help: people upload data and third parties ask for it. A folder for each component of the
// design document: Authentication, HealthData, Import, SingleRequests, Accesses, AccountKeys; each
// with its routes, its rules about the database and its statements. A request arrives with who
// calls (see Services), so no handler reads a token.
