import Glibc

// The service is not part of this version yet: say so to whoever starts it.
exit(69)
