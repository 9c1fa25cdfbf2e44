// The Privacy module.
