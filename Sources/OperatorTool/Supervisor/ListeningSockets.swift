import CLinux
import EventLoop
import HTTP
import Operations

/// An address on which a supervised program listens.
struct ListeningOrder: Sendable {
  let name: SocketName
  let address: SocketAddress
  /// The number of sockets; a TCP address may have one for each loop of the program.
  let count: Int
}

/// The listening sockets of a supervised program. The supervisor opens them for a process and
/// passes them on to the next one: the address accepts connections without a pause. They are closed
/// when the process ends by itself, so that clients of a crashed process fail at once.
final class ListeningSockets {
  private(set) var passed: [PassedSocket] = []

  /// Opens the sockets unless they are open.
  ///
  /// - Throws: `SystemError` with the address that cannot be bound.
  func open(_ orders: [ListeningOrder]) throws(SystemError) {
    guard passed.isEmpty else { return }
    do throws(SystemError) {
      for order in orders {
        let opened = try Listening.open(order.address, count: order.count)
        passed.append(PassedSocket(order.name, opened.descriptors))
      }
    } catch {
      close()
      throw error
    }
  }

  /// Closes the supervisor's copies.
  func close() {
    for descriptor in passed.flatMap(\.descriptors) { CLinux.close(descriptor) }
    passed = []
  }
}
