// The Data4Help module.
