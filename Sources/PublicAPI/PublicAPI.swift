// The PublicAPI module.
