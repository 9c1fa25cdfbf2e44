// The HTTP module.
