/// Receives the events of a socket channel. Owner and channel retain each other until
/// `channelClosed`, which is called once, as the last event.
protocol SocketChannelOwner: AnyObject {
  /// The socket is connected, and the TLS handshake begins; not called without TLS.
  func channelConnected()
  /// The connection is established, including the TLS handshake, which may have negotiated a
  /// protocol.
  func channelOpened(_ applicationProtocol: ApplicationProtocol?)
  /// The turn ends; output written now is sent with it, and needs no flush of its own.
  func channelWillFlush()
  /// The output was sent as far as possible in this turn.
  func channelFlushed()
  /// Processes bytes from the peer.
  func channelReceived(_ bytes: Span<UInt8>)
  /// The peer will send nothing more.
  func channelInputEnded()
  /// The output fell below the low-water mark after exceeding the high-water mark.
  func channelDrained()
  /// The kernel accepted some of the pending output.
  func channelProgressed()
  /// The descriptor is closed. `isClean` is false for an error and for `abort`.
  func channelClosed(isClean: Bool)
}
