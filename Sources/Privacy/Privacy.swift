// Privacy keeps what identifies a person unreadable to who only has the database: it seals values
// under account keys, wraps those keys under a master key, finds rows by keyed hashes, hashes
// passwords, issues and checks tokens, signs callbacks and chains the record of accesses. It knows
// neither tables nor wire formats; key files are read and stored by the caller. All cryptography is
// OpenSSL's and libargon2's, and every pointer is in SecretBytes, SealContext, AESGCM, HMACKey,
// SecureRandom, ConstantTime and Argon2. A library call that can only fail for want of memory or of
// a random source ends the process, which its supervisor restarts, rather than go on unprotected.
