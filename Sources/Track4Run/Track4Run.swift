// The Track4Run module.
