import CLinux
import HTTP
import Testing

/// A blocking client that sends and reads plain bytes, for input that no correct client would send.
final class RawClient {
  private let descriptor: Int32

  init(_ address: SocketAddress) throws {
    guard case .tcp(let host, let port) = address else { throw Problem.notFound }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var system = sockaddr_in()
    system.sin_family = sa_family_t(AF_INET)
    system.sin_port = port.bigEndian
    _ = unsafe inet_pton(AF_INET, host, &system.sin_addr)
    let result = unsafe withUnsafePointer(to: &system) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0)
    // Makes a test fail instead of hang if a response never arrives.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { _ = close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes {
        unsafe CLinux.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Sends as much as the kernel accepts without blocking; returns the number of bytes.
  func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
    let sent = unsafe bytes.withUnsafeBytes {
      unsafe CLinux.send(
        descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    return max(0, sent)
  }

  /// Reads until the peer closes.
  func receiveAll() -> String {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
      }
      guard count > 0 else { return String(decoding: received, as: UTF8.self) }
      received += buffer.prefix(count)
    }
  }

  /// Reads the first available bytes as text; empty at the end.
  func receiveFirst() -> String {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
    }
    return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
  }

  /// Reads the next available bytes; nil at the end.
  func receive() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
    }
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }

  /// Whether the kernel accepts bytes within the time.
  func waitUntilWritable(milliseconds: Int32) -> Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&watched, 1, milliseconds) == 1
  }

  /// Reads available bytes; returns their number, nil at the end.
  func receiveSome() -> Int? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
    }
    return count > 0 ? count : nil
  }
}
