import CLinux
import EventLoop

/// The system calls on sockets, with their structures.
enum SocketCalls {
  /// Sends as many of `bytes` as the kernel accepts: returns the count, 0 if it would block, or the
  /// error.
  static func send(_ bytes: Span<UInt8>, to descriptor: Int32) -> Result<Int, SystemError> {
    while true {
      let sent = unsafe bytes.withUnsafeBytes { buffer in
        // SAFETY: the kernel reads at most `buffer.count` bytes.
        unsafe CLinux.send(
          descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      }
      if sent >= 0 { return .success(sent) }
      switch linux_errno() {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .success(0)
      case let code: return .failure(SystemError(call: "send", code: code))
      }
    }
  }

  /// Creates a non-blocking, close-on-exec socket.
  static func makeSocket(_ family: Int32) throws(SystemError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    return try SystemError.check("socket", socket(family, kind, 0))
  }

  /// Accepts one connection; nil if none is pending.
  static func accept(_ descriptor: Int32) throws(SystemError) -> (Int32, PeerAddress)? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    while true {
      // SAFETY: the kernel writes at most `length` bytes into the storage, which has that size.
      let accepted = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe linux_accept(descriptor, $0, &length, flags)
        }
      }
      if accepted >= 0 { return (accepted, PeerAddress(address)) }
      switch linux_errno() {
      case EINTR, ECONNABORTED: continue
      case EAGAIN, EWOULDBLOCK: return nil
      case let code: throw SystemError(call: "accept4", code: code)
      }
    }
  }

  /// Enables a Boolean socket option.
  static func enable(_ option: Int32, level: Int32, on descriptor: Int32) throws(SystemError) {
    try SystemError.check("setsockopt", set(option, level: level, to: 1, on: descriptor))
  }

  private static func set(_ option: Int32, level: Int32, to value: Int32, on descriptor: Int32)
    -> Int32
  {
    var value = value
    // SAFETY: the kernel reads four bytes of a local value.
    return unsafe setsockopt(
      descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Sets TCP_NODELAY, so that small writes are sent immediately. A failure only costs time, and
  /// Unix-domain sockets do not delay writes.
  static func disableDelay(_ descriptor: Int32) {
    _ = set(Int32(TCP_NODELAY), level: Int32(IPPROTO_TCP), to: 1, on: descriptor)
  }

  /// Sets TCP_NOTSENT_LOWAT: the kernel takes no more output while it has this many bytes that it
  /// has not sent yet. Otherwise it takes up to 4 MB (`tcp_wmem`) for a client that reads slowly,
  /// and then nothing until a third of that is free. After a failure its own limit applies, and
  /// Unix-domain sockets have another one.
  static func limitUnsent(_ descriptor: Int32) {
    _ = set(Int32(TCP_NOTSENT_LOWAT), level: Int32(IPPROTO_TCP), to: 128 << 10, on: descriptor)
  }

  /// The pending error of a socket, 0 if none: the result of a connection attempt.
  static func pendingError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    // SAFETY: the kernel writes four bytes into a local value.
    let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return result == 0 ? code : linux_errno()
  }

  /// Bytes in the kernel's send buffer that the peer has not acknowledged; the end of a TCP stream
  /// counts as one. 0 after an error: nothing more will be delivered then.
  static func unacknowledgedBytes(_ descriptor: Int32) -> Int {
    max(0, Int(linux_unacknowledged_bytes(descriptor)))
  }

  /// Makes `close` reset the connection, so that the peer detects missing data.
  static func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    // SAFETY: the kernel reads a local structure of the size given. After a failure, `close` is an
    // ordinary one, as always on a Unix-domain socket.
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}
