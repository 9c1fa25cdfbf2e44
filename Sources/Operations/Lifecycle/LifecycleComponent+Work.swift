import EventLoop

extension LifecycleComponent {
  /// Work that comes round on a loop from the start of the process to its end, which waits for the
  /// turn under way.
  package init(_ name: StaticString, repeating work: RepeatingWork, on loop: EventLoop) {
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
