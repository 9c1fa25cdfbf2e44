import CLinux
import EventLoop

/// A listening socket on a loop.
final class ListeningSocket: ReadinessHandler {
  private static let acceptsPerTurnMax = 64
  /// How long nothing is accepted after the process has run out of descriptors.
  private static let pauseWithoutDescriptors = Duration.milliseconds(100)

  private let descriptor: Int32
  private let loop: EventLoop
  /// Where the next connection goes; nil while there is no room.
  private let place: () -> ((Int32, PeerAddress) -> Void)?
  private var registration: Registration?
  private var isClosed = false

  init(
    descriptor: Int32, loop: EventLoop, place: @escaping () -> ((Int32, PeerAddress) -> Void)?
  ) {
    self.descriptor = descriptor
    self.loop = loop
    self.place = place
  }

  func start() throws(SystemError) {
    registration = try loop.register(descriptor, self)
  }

  func ready(_ events: Readiness) { accept() }

  /// There is room again.
  func resume() { loop.endOfTurn { [self] in accept() } }

  private func accept() {
    for _ in 0..<Self.acceptsPerTurnMax {
      guard !isClosed, let place = place() else { return }
      do throws(SystemError) {
        guard let (accepted, peer) = try SocketCalls.accept(descriptor) else { return }
        if peer != .unix { SocketCalls.disableDelay(accepted) }
        place(accepted, peer)
      } catch {
        loop.schedule(after: Self.pauseWithoutDescriptors) { [self] in accept() }
        return
      }
    }
    resume()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    registration?.cancel()
    registration = nil
    // A program that another thread is starting may hold a copy of the descriptor until it is
    // executed: the address refuses from now on all the same.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    _ = CLinux.close(descriptor)
  }
}
