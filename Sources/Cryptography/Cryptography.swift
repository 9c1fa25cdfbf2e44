// Cryptography keeps identifying data unreadable to an attacker who only has the database. It seals
// values under account keys, wraps those keys under a master key, finds rows by keyed hashes,
// hashes passwords, issues and checks tokens, signs callbacks and chains the access records. It
// knows neither tables nor wire formats; its callers read and store key files. All cryptography is
// OpenSSL's and libargon2's, and pointers occur only in functions with a `SAFETY` comment. A
// library call that can only fail for lack of memory or of randomness ends the process, which its
// supervisor restarts, instead of continuing unprotected.
