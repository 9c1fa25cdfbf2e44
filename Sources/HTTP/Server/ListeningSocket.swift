import CLinux
import EventLoop

/// A listening socket on a loop.
final class ListeningSocket: ReadinessHandler {
  /// Pause in accepting after the process has run out of descriptors.
  private static let pauseWithoutDescriptors = Duration.milliseconds(100)

  private let descriptor: Int32
  /// Whether another process may accept on the same socket, now or later.
  private let isShared: Bool
  private let loop: EventLoop
  /// Returns the receiver of the next connection; nil at the limit of connections.
  private let place: () -> ((Int32, PeerAddress) -> Void)?
  private var registration: Registration?
  /// Pending while the process has no descriptor.
  private var retry: LoopTimer?
  private var isClosed = false

  init(
    descriptor: Int32, isShared: Bool, loop: EventLoop,
    place: @escaping () -> ((Int32, PeerAddress) -> Void)?
  ) {
    self.descriptor = descriptor
    self.isShared = isShared
    self.loop = loop
    self.place = place
  }

  func start() throws(SystemError) {
    registration = try loop.register(descriptor, self)
  }

  func ready(_ events: Readiness) { accept() }

  /// Resumes accepting after a connection was closed.
  func resume() { loop.endOfTurn { [self] in accept() } }

  private func accept() {
    for _ in 0..<HTTPServer.acceptsPerTurnMax {
      guard !isClosed, let place = place() else { return }
      do throws(SystemError) {
        guard let (accepted, peer) = try SocketCalls.accept(descriptor) else { return }
        if peer != .unix { SocketCalls.disableDelay(accepted) }
        place(accepted, peer)
      } catch {
        guard retry == nil else { return }
        retry = loop.schedule(after: Self.pauseWithoutDescriptors) { [self] in
          retry = nil
          accept()
        }
        return
      }
    }
    resume()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    retry?.cancel()
    registration?.cancel()
    registration = nil
    // A child process between fork and exec may hold a copy of the descriptor. With `shutdown`, the
    // address refuses connections immediately in any case. That would end a shared socket for all
    // processes.
    if !isShared { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    _ = CLinux.close(descriptor)
  }
}
