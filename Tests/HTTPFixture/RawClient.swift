// HTTPFixture is the client of tests whose input no correct client would send. It blocks threads of
// its own, because the few threads that run tests must not be blocked.

import CLinux
import Foundation
import HTTP
import Testing

/// A connection over which a test sends and reads plain bytes.
package final class RawClient: Sendable {
  /// The address refused the connection.
  package struct Refused: Error {}

  private let descriptor: Int32

  /// Connects to an address. Over TCP, `receiveBufferBytes` (`SO_RCVBUF`) fixes the kernel's buffer
  /// at twice that size; otherwise the kernel may enlarge it, even for a client that never reads.
  package init(_ address: SocketAddress, receiveBufferBytes: Int32? = nil) throws {
    switch address {
    case .tcp(let host, let port):
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      if var receiveBufferBytes {
        _ = unsafe setsockopt(
          descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes,
          socklen_t(MemoryLayout<Int32>.size))
      }
      var system = sockaddr_in()
      system.sin_family = sa_family_t(AF_INET)
      system.sin_port = port.bigEndian
      _ = unsafe inet_pton(AF_INET, host, &system.sin_addr)
      let result = unsafe withUnsafePointer(to: &system) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 else { throw Refused() }
    case .unix(let path):
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var system = sockaddr_un()
      system.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &system.sun_path) {
        unsafe $0.copyBytes(from: Array(path.utf8))
      }
      let result = unsafe withUnsafePointer(to: &system) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard result == 0 else { throw Refused() }
    }
    // Makes a test fail instead of hang if a response never arrives.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { _ = close(descriptor) }

  /// Sends a text.
  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends all bytes, unless the connection has ended.
  package func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes {
        unsafe CLinux.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Closes the sending side.
  package func endOutput() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends as much as the kernel accepts without blocking; returns the number of bytes.
  package func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
    let sent = unsafe bytes.withUnsafeBytes {
      unsafe CLinux.send(
        descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    return max(0, sent)
  }

  /// Whether the kernel accepts bytes within the time.
  package func waitUntilWritable(milliseconds: Int32) async -> Bool {
    await onThread { [self] in
      var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      return unsafe poll(&watched, 1, milliseconds) == 1
    }
  }

  /// Reads up to `count` bytes; nil at the end or after an error.
  package func receive(upTo count: Int = 65536) async -> [UInt8]? {
    await onThread { [self] in read(upTo: count) }
  }

  /// Reads the first available bytes as text; empty at the end.
  package func receiveFirst() async -> String {
    String(decoding: await receive(upTo: 4_096) ?? [], as: UTF8.self)
  }

  /// Reads until the peer closes.
  package func receiveAll() async -> String {
    var bytes: [UInt8] = []
    while let part = await receive() { bytes += part }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads until the input contains `text` or ends.
  package func receive(until text: String) async -> String {
    var received = ""
    while !received.contains(text), let part = await receive() {
      received += String(decoding: part, as: UTF8.self)
    }
    return received
  }

  private func read(upTo count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    let read = unsafe buffer.withUnsafeMutableBytes {
      unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
    }
    // Nil would look like the end.
    if read < 0, linux_errno() == EAGAIN { Issue.record("no byte arrived for a minute") }
    return read > 0 ? Array(buffer.prefix(read)) : nil
  }

  private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: work()) }
    }
  }
}
