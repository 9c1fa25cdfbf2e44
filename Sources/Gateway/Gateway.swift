// The Gateway module.
