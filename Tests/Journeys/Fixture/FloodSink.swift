import CLinux
import Foundation

/// A server that reads a flood and ignores it: the same clients, connections and bytes without the
/// work of a gateway.
final class FloodSink: Sendable {
  /// The port on 127.0.0.1.
  let port: UInt16
  private let listener: Int32

  /// Listens and serves on its own thread until `end`. A flood that a gateway would cut off is cut
  /// off after one read.
  init(_ flood: Flood) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var system = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard unsafe FloodingClients.call(CLinux.bind, listener, "127.0.0.1", 0),
      listen(listener, 128) == 0,
      unsafe withUnsafeMutablePointer(
        to: &system,
        { pointer in
          unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe getsockname(listener, $0, &length) == 0
          }
        })
    else { throw POSIXError(.EADDRNOTAVAIL) }
    self.listener = listener
    port = UInt16(bigEndian: system.sin_port)
    Thread.detachNewThread { Self.serve(listener, isCutting: flood.isCut) }
  }

  /// Ends the thread and all connections.
  func end() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

  private static func serve(_ listener: Int32, isCutting: Bool) {
    var open = [listener]
    var buffer = [UInt8](repeating: 0, count: 65_536)
    defer { for descriptor in open { _ = close(descriptor) } }
    while true {
      var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard unsafe poll(&polled, nfds_t(polled.count), -1) > 0 else { return }
      for entry in polled where entry.revents != 0 {
        if entry.fd == listener {
          let accepted = accept(listener, nil, nil)
          guard accepted >= 0 else { return }
          open.append(accepted)
          continue
        }
        let count = unsafe recv(entry.fd, &buffer, buffer.count, 0)
        if count > 0 { _ = unsafe send(entry.fd, buffer, 1, Int32(MSG_NOSIGNAL)) }
        if count > 0, !isCutting { continue }
        _ = close(entry.fd)
        open.removeAll { $0 == entry.fd }
      }
    }
  }
}
