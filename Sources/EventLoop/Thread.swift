import CLinux

/// Starts a detached thread that runs `body` once; the system shows at most 15 bytes of its name.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
  let start = ThreadStart(name: name, body: body)
  // SAFETY: the box is retained here and released by the thread, which takes it exactly once.
  let argument = unsafe Unmanaged.passRetained(start)
  var thread = pthread_t()
  let code = unsafe pthread_create(
    &thread, nil,
    { argument in
      guard let argument = unsafe argument else { return nil }
      let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
      unsafe linux_set_thread_name(start.name)
      start.body()
      return nil
    }, argument.toOpaque())
  guard code == 0 else {
    unsafe argument.release()
    throw SystemError(call: "pthread_create", code: code)
  }
  pthread_detach(thread)
}

private final class ThreadStart {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
