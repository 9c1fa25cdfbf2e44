import Cryptography
import EventLoop
import HTTP
import InternalAPI
import Operations
import ServiceKit

/// Data4Help's sequence of events, page by page and as a stream.
package struct EventFeed: Sendable {
  let data4help: Data4HelpClient
  private let addresses: [SocketAddress]
  private let link: InnerLink
  private let secret: InternalSecret

  /// Creates a feed of the replicas at these addresses.
  package init(
    _ data4help: Data4HelpClient, addresses: [SocketAddress], over link: InnerLink = .plain,
    secret: InternalSecret
  ) {
    self.data4help = data4help
    self.link = link
    self.addresses = addresses
    self.secret = secret
  }

  /// A stream of the events after a number, the stream with this count: each one connects to a
  /// different replica than the one before. `work` is its identifier in the log of Data4Help. Nil
  /// without addresses.
  func stream(
    after position: Int64, count: Int, following work: RequestID, on loop: EventLoop
  ) -> InternalStream<InternalEvent>? {
    guard !addresses.isEmpty else { return nil }
    return InternalStream(
      "\(InternalPath.stream)?since=\(position)", of: addresses[count % addresses.count],
      over: link, secret: secret, following: work, on: loop)
  }
}
