import EventLoop

extension LifecycleComponent {
  /// A periodic task that runs from the start of the process to its stop, which waits for the
  /// current turn, and then for `last`, the end of the work.
  package init(
    _ name: StaticString, repeating work: PeriodicTask, on loop: EventLoop,
    last: @escaping @Sendable () async -> Void = {}
  ) {
    self.init(
      name,
      start: { () throws(StartError) in loop.execute { work.start() } },
      stop: {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          loop.begin {
            await work.stop()
            await last()
            continuation.resume()
          }
        }
      })
  }
}
