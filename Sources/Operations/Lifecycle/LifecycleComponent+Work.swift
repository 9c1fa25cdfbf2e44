import EventLoop

extension LifecycleComponent {
  /// A periodic task that runs from the start of the process to its stop, which waits for the
  /// current turn.
  package init(_ name: StaticString, repeating work: PeriodicTask, on loop: EventLoop) {
    self.init(
      name,
      start: { () throws(StartError) in loop.execute { work.start() } },
      stop: {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          loop.begin {
            await work.stop()
            continuation.resume()
          }
        }
      })
  }
}
