// The EventLoop module.
