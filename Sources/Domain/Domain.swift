// The Domain module.
