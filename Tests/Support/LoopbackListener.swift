// SAFETY of the whole file: sockets on their own thread; every buffer passed to the system exists
// during the call and is passed with its size.
import Glibc

/// A loopback port that accepts connections sequentially on its own thread.
package final class LoopbackListener: Sendable {
  struct Failure: Error {}

  package let port: UInt16
  private let listener: Int32
  private let converse: @Sendable (LoopbackConnection) -> Void

  /// Binds 127.0.0.`host` on the given port or any free one, and runs `converse` for each
  /// connection. A port that does not listen refuses every connection.
  package init(
    host: UInt32 = 1, port: UInt16 = 0, isListening: Bool = true,
    _ converse: @escaping @Sendable (LoopbackConnection) -> Void
  ) throws {
    self.converse = converse
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
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isReady else { throw Failure() }
    self.port = UInt16(bigEndian: address.sin_port)
    guard isListening else { return }
    guard listen(listener, 16) == 0 else { throw Failure() }
    let listening = unsafe Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t()
    _ = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<LoopbackListener>.fromOpaque(context).takeRetainedValue().serve()
        return nil
      }, listening)
    pthread_detach(thread)
  }

  deinit { close(listener) }

  /// Stops the listener and its conversations.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      converse(LoopbackConnection(descriptor: descriptor))
      close(descriptor)
    }
  }
}

/// A connection accepted by a loopback listener.
package struct LoopbackConnection {
  /// The socket, or another descriptor to read from.
  package let descriptor: Int32

  /// A connection of this descriptor.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Sends a text.
  package func say(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// The next byte; nil at the end.
  package func readByte() -> UInt8? {
    var byte: UInt8 = 0
    return unsafe read(descriptor, &byte, 1) == 1 ? byte : nil
  }

  /// A line without its line break; nil at the end of the connection.
  package func readLine() -> String? {
    var bytes: [UInt8] = []
    while let byte = readByte() {
      if byte == 0x0A {
        if bytes.last == 0x0D { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes.append(byte)
    }
    return nil
  }
}
