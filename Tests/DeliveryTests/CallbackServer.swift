// SAFETY of the whole file: a socket server on a thread of its own; every buffer passed to the
// system lives for the call, with its own size.
import Glibc
import Synchronization

/// A third party's server of a few lines on an address of the loopback, which takes one connection
/// after the other, answers every call with 204, and counts.
final class CallbackServer: Sendable {
  private struct State {
    var connections = 0
    var calls = 0
    var isClosing = false
  }

  private let state = Mutex(State())
  private let listener: Int32
  let port: UInt16

  struct Failure: Error {}

  /// Listens at 127.0.0.`host`, on any port or this one.
  init(host: UInt32 = 1, port: UInt16 = 0) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = (0x7F00_0000 + host).bigEndian
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isReady = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, length) == 0
          && getsockname(descriptor, pointer, &length) == 0 && listen(descriptor, 16) == 0
      }
    }
    guard isReady else { throw Failure() }
    self.port = UInt16(bigEndian: address.sin_port)
    let server = unsafe Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t()
    _ = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<CallbackServer>.fromOpaque(context).takeRetainedValue().serve()
        return nil
      }, server)
    pthread_detach(thread)
  }

  deinit { close(listener) }

  /// Connections that were taken.
  var connections: Int { state.withLock { $0.connections } }
  /// Calls that were answered.
  var calls: Int { state.withLock { $0.calls } }

  /// Closes each connection behind its answer from now on, without saying so before.
  func closeAfterAnswers() { state.withLock { $0.isClosing = true } }

  /// Ends it.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      state.withLock { $0.connections += 1 }
      while takeCall(connection) {}
      close(connection)
    }
  }

  /// Answers a call; false at the end of the connection.
  private func takeCall(_ connection: Int32) -> Bool {
    var length = 0
    while true {
      guard let line = readLine(connection) else { return false }
      if line.isEmpty { break }
      if line.lowercased().hasPrefix("content-length:") {
        length = Int(line.dropFirst(15).filter(\.isNumber)) ?? 0
      }
    }
    for _ in 0..<length { if readByte(connection) == nil { return false } }
    let isClosing = state.withLock { state in
      state.calls += 1
      return state.isClosing
    }
    let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
    _ = unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
    return !isClosing
  }

  private func readByte(_ connection: Int32) -> UInt8? {
    var byte: UInt8 = 0
    return unsafe read(connection, &byte, 1) == 1 ? byte : nil
  }

  private func readLine(_ connection: Int32) -> String? {
    var bytes: [UInt8] = []
    while let byte = readByte(connection) {
      if byte == 0x0A { return String(decoding: bytes.dropLast(), as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }
}
