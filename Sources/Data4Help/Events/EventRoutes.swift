import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

/// What accounts and third parties follow: their streams, and the third party's own sequence by
/// reading (REQ-2, NTF-1). One per loop.
package struct EventRoutes: Sendable {
  private let surroundings: Surroundings
  private let sequence: ThirdPartySequence
  private let sequences: LoopBound<EventFeed>
  private let notices: LoopBound<EventFeed>
  private let metrics: EventMetrics

  /// Routes over these samples; streams of this loop begin with the first of them.
  package init(_ surroundings: Surroundings, samples: SampleStore) {
    self.surroundings = surroundings
    let metrics = EventMetrics(surroundings.metrics)
    self.metrics = metrics
    let sequence = ThirdPartySequence(
      surroundings: surroundings, samples: samples,
      accesses: AccessRecorder(root: surroundings.root), metrics: metrics)
    self.sequence = sequence
    func feed(_ source: any EventSource) -> LoopBound<EventFeed> {
      LoopBound(EventFeed(source, surroundings, metrics), on: surroundings.loop)
    }
    sequences = feed(sequence)
    notices = feed(NoticeFeed(surroundings: surroundings))
  }

  /// The rows for the service's router.
  package var all: [Route] {
    let routes = surroundings.routes
    return [
      routes.identified(.thirdPartyEvents, events),
      routes.identified(.thirdPartyStream) { (request, identity) throws(Problem) in
        try await stream(request, identity, sequences)
      },
      routes.identified(.accountStream) { (request, identity) throws(Problem) in
        try await stream(request, identity, notices)
      },
    ]
  }

  /// Ends the streams of this loop, so that their clients go on elsewhere. On the loop.
  package func stop() async {
    await sequences.value.stop()
    await notices.value.stop()
  }

  private func stream(
    _ request: Request, _ identity: Identity, _ feed: LoopBound<EventFeed>
  ) async throws(Problem) -> Response {
    var after: Int64?
    if let text = request.head.fields[.lastEventID] {
      guard let number = Int64(text), number >= 0 else {
        throw .malformed("Last-Event-ID is a number of the stream.", field: "Last-Event-ID")
      }
      after = number
    }
    guard request.head.method != .head else { return .events { _ in } }
    let stream = LoopBound(
      try await feed.value.open(identity.account, after: after), on: surroundings.loop)
    return .events { writer in
      var reason = EventMetrics.StreamEnd.client
      defer {
        feed.value.close(stream.value)
        metrics.end(reason)
      }
      try await writer.comment()
      while true {
        switch await stream.value.next() {
        case .events(let bytes):
          try await writer.write(bytes)
          if stream.value.isHandedOver { feed.value.take(stream.value) }
        case .heartbeat: try await writer.comment()
        case .end(let end):
          reason = end
          // A part of an event may be on its way: clients drop it, and get the whole anew.
          if end == .stopping { try await writer.comeAgain() }
          return
        }
      }
    }
  }

  @Sendable private func events(
    _ request: Request, _ identity: Identity
  ) async throws(Problem) -> Response {
    let since = request.query["since"].flatMap { Int64($0) } ?? 0
    let position = EventPosition(account: identity.account, after: since)
    let readAt = surroundings.loop.now
    let page = try await sequence.read(behind: [position], .events)[0]
    try surroundings.fence.value.check(page.deliveries.map(\.requestID), readAt: readAt)
    var writer = JSONWriter()
    writer.object { writer in
      writer.array("events") { writer in
        for item in page.items { writer.raw(item.document) }
      }
      writer.field("next", page.next)
      writer.field("more", page.hasMore)
    }
    return .json(writer.bytes)
  }
}
