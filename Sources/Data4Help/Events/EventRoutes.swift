import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

/// The streams of accounts and third parties, and the third party's sequence by reading (REQ-2,
/// NTF-1). One per loop.
package struct EventRoutes: Sendable {
  private let surroundings: Surroundings
  private let reserved: Surroundings
  private let sequence: ThirdPartySequence
  private let sequences: LoopBound<EventFeed>
  /// The streams of hospitals.
  private let hospitals: LoopBound<EventFeed>
  private let notices: LoopBound<EventFeed>
  private let alarms: LoopBound<EventFeed>
  private let track4runSequence: ThirdPartySequence
  private let track4run: LoopBound<EventFeed>
  private let metrics: EventMetrics

  /// Routes over these samples; streams of this loop begin with the first of them. Notices,
  /// including alarms, and the sequences of hospitals are read over the connections of `reserved`;
  /// `herald` publishes alarms while no database can be read.
  package init(
    _ surroundings: Surroundings, reserved: Surroundings, _ emergencies: EmergencySettings,
    samples: SampleStore, herald: AlarmHerald
  ) {
    self.surroundings = surroundings
    self.reserved = reserved
    let metrics = EventMetrics(surroundings.metrics)
    self.metrics = metrics
    let sequence = ThirdPartySequence(
      surroundings: surroundings, samples: samples,
      accesses: AccessRecorder(root: surroundings.root), metrics: metrics,
      areAllAdmitted: emergencies.areAllAdmitted)
    self.sequence = sequence
    func feed(_ source: any EventSource) -> LoopBound<EventFeed> {
      LoopBound(EventFeed(source, surroundings, metrics), on: surroundings.loop)
    }
    var track4runSequence = sequence
    track4runSequence.form = .track4run(surroundings.deletedAccounts)
    self.track4runSequence = track4runSequence
    sequences = feed(sequence)
    hospitals = feed(
      ThirdPartySequence(
        surroundings: reserved, samples: SampleStore(reserved), accesses: sequence.accesses,
        metrics: metrics, areAllAdmitted: emergencies.areAllAdmitted))
    track4run = feed(track4runSequence)
    notices = feed(NoticeFeed(surroundings: reserved))
    alarms = feed(NoticeFeed(surroundings: reserved, isOfAlarms: true))
    for feed in [notices, alarms] {
      herald.heard { account, name, data in
        feed.loop.execute { feed.value.tell(account, name, data) }
      }
    }
  }

  /// The rows for the service's router.
  package var all: [Route] {
    let routes = surroundings.routes
    return [
      routes.identified(.thirdPartyEvents, events),
      routes.identified(.thirdPartyStream) { (request, identity) throws(ApplicationError) in
        let feed = try await isHospital(identity.account) ? hospitals : sequences
        return try await stream(request, identity.account, feed)
      },
      routes.identified(.accountStream) { (request, identity) throws(ApplicationError) in
        try await stream(request, identity.account, identity.device == 0 ? notices : alarms)
      },
    ]
  }

  /// The sequence of Track4Run, by reading and as a stream.
  package var track4runRoutes: [Route] {
    [
      Route.inner(.get, InternalPath.events) { (request) throws(ApplicationError) in
        let since = try Self.number(request.query["since"] ?? "0", "since")
        let last = try Self.number(request.query["upTo"] ?? Int64.max.description, "upTo")
        return try await page(of: track4runSequence, behind: since, upTo: last, for: .track4run)
      },
      Route.inner(.get, InternalPath.stream) { (request) throws(ApplicationError) in
        try await stream(request, .track4run, track4run)
      },
    ]
  }

  /// Ends the streams of this loop, so that their clients reconnect to another process. On the
  /// loop.
  package func stop() async {
    await sequences.value.stop()
    await hospitals.value.stop()
    await notices.value.stop()
    await alarms.value.stop()
    await track4run.value.stop()
  }

  /// Whether a third party is or was on duty as a hospital: its calls must not queue behind other
  /// data.
  private func isHospital(_ account: AccountID) async throws(ApplicationError) -> Bool {
    try await reserved.database.row(HospitalOf(account: account)) != nil
  }

  private func stream(
    _ request: Request, _ account: AccountID, _ feed: LoopBound<EventFeed>
  ) async throws(ApplicationError) -> Response {
    var after = try request.query["since"].map { (text) throws(ApplicationError) in
      try Self.number(text, "since")
    }
    if let text = request.head.fields[.lastEventID] {
      after = try Self.number(text, "Last-Event-ID")
    }
    guard request.head.method != .head else { return .events { _ in } }
    let stream = LoopBound(
      try await feed.value.open(account, after: after), on: surroundings.loop)
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
          // A part of an event may already be sent: clients drop it, and receive the whole event
          // again.
          if end == .stopping { try await writer.comeAgain() }
          return
        }
      }
    }
  }

  @Sendable private func events(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let since = request.query["since"].flatMap { Int64($0) } ?? 0
    return try await page(of: sequence, behind: since, for: identity.account)
  }

  private static func number(_ text: String, _ field: String) throws(ApplicationError) -> Int64 {
    guard let number = Int64(text), number >= 0 else {
      throw .invalid("\(field) is a number of the stream.", field: field)
    }
    return number
  }

  private func page(
    of sequence: ThirdPartySequence, behind since: Int64, upTo number: Int64 = .max,
    for account: AccountID
  ) async throws(ApplicationError) -> Response {
    let position = EventPosition(account: account, after: since)
    let readAt = surroundings.loop.now
    let page = try await sequence.read(
      behind: position, .events, entriesMax: sequence.form.entriesMax, upTo: number)
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
