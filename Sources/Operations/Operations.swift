// The Operations module.
