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

  /// Routes over these samples; streams of this loop begin with the first of them.
  package init(_ surroundings: Surroundings, samples: SampleStore) {
    self.surroundings = surroundings
    let sequence = ThirdPartySequence(
      surroundings: surroundings, samples: samples,
      accesses: AccessRecorder(root: surroundings.root))
    self.sequence = sequence
    func feed(_ source: any EventSource) -> LoopBound<EventFeed> {
      LoopBound(
        EventFeed(
          source, bell: surroundings.streamBell, on: surroundings.loop, log: surroundings.log),
        on: surroundings.loop)
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
      defer { feed.value.close(stream.value) }
      try await writer.comment()
      while true {
        switch await stream.value.next() {
        case .events(let bytes):
          try await writer.write(bytes)
          feed.value.take(stream.value)
        case .heartbeat: try await writer.comment()
        case .end: return
        }
      }
    }
  }

  @Sendable private func events(
    _ request: Request, _ identity: Identity
  ) async throws(Problem) -> Response {
    let since = request.query["since"].flatMap { Int64($0) } ?? 0
    let position = EventPosition(account: identity.account, after: since)
    let page = try await sequence.read(behind: [position], .events)[0]
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
