import EventLoop

/// Why a server cannot listen on one of its addresses.
package struct ListenError: Error, Equatable {
  /// The address as it was given.
  package let address: SocketAddress
  /// The failed call; EADDRINUSE if the address is in use.
  package let cause: SystemError
}
