import CLinux
import EventLoop

/// Creates listening sockets.
package enum Listening {
  private static let backlog: Int32 = 4096

  /// Binds an address once for each of `count` sockets and listens on them.
  ///
  /// The first TCP socket is bound without SO_REUSEPORT, so that a port in use is detected; then
  /// the option is set so that the others can be bound. A Unix-domain address has one descriptor.
  ///
  /// - Throws: `SystemError`; EADDRINUSE if another process listens on the address.
  package static func open(
    _ address: SocketAddress, count: Int
  ) throws(SystemError) -> (descriptors: [Int32], bound: SocketAddress) {
    if case .unix(let path) = address {
      try removeStale(path)
      return ([try listen(address) { _ throws(SystemError) in }], address)
    }
    var descriptors: [Int32] = []
    do throws(SystemError) {
      let first = try bind(address) { descriptor throws(SystemError) in
        try SocketCalls.enable(SO_REUSEADDR, level: SOL_SOCKET, on: descriptor)
      }
      descriptors.append(first)
      if count > 1 { try SocketCalls.enable(SO_REUSEPORT, level: SOL_SOCKET, on: first) }
      try SystemError.check("listen", CLinux.listen(first, backlog))
      let bound = try address.bound(first)
      for _ in 1..<max(1, count) {
        descriptors.append(
          try listen(bound) { descriptor throws(SystemError) in
            try SocketCalls.enable(SO_REUSEADDR, level: SOL_SOCKET, on: descriptor)
            try SocketCalls.enable(SO_REUSEPORT, level: SOL_SOCKET, on: descriptor)
          })
      }
      return (descriptors, bound)
    } catch {
      for descriptor in descriptors { _ = close(descriptor) }
      throw error
    }
  }

  private static func listen(
    _ address: SocketAddress, prepare: (Int32) throws(SystemError) -> Void
  ) throws(SystemError) -> Int32 {
    let descriptor = try bind(address, prepare: prepare)
    do throws(SystemError) {
      try SystemError.check("listen", CLinux.listen(descriptor, backlog))
      return descriptor
    } catch {
      _ = close(descriptor)
      throw error
    }
  }

  private static func bind(
    _ address: SocketAddress, prepare: (Int32) throws(SystemError) -> Void
  ) throws(SystemError) -> Int32 {
    let descriptor = try SocketCalls.makeSocket(address.family)
    do throws(SystemError) {
      try prepare(descriptor)
      let result = try unsafe address.withSystemAddress { pointer, length in
        // SAFETY: the pointer is valid for `length` bytes during the call.
        unsafe CLinux.bind(descriptor, pointer, length)
      }
      try SystemError.check("bind", result)
      return descriptor
    } catch {
      _ = close(descriptor)
      throw error
    }
  }

  /// Removes the socket file of a process that has ended; throws if a process still accepts on it.
  private static func removeStale(_ path: String) throws(SystemError) {
    let address = SocketAddress.unix(path: path)
    let descriptor = try SocketCalls.makeSocket(AF_UNIX)
    defer { _ = close(descriptor) }
    let result = try unsafe address.withSystemAddress { pointer, length in
      // SAFETY: the pointer is valid for `length` bytes during the call.
      unsafe connect(descriptor, pointer, length)
    }
    if result == 0 || linux_errno() == EAGAIN {
      throw SystemError(call: "bind", code: EADDRINUSE)
    }
    if linux_errno() == ECONNREFUSED { _ = unsafe unlink(path) }
  }
}
