import Accounts
import Domain
import EventLoop
import HTTP
import HealthRecords
import InternalAPI
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Web

/// The streams of accounts and third parties, and the third party's sequence by reading (REQ-2,
/// NTF-1). One per loop.
package struct EventRoutes: Sendable {
  private let dependencies: SharingDependencies
  private let reservedEmergencies: any EmergencySource
  private let sequence: ThirdPartySequence
  private let sequences: LoopBound<EventFeed>
  /// The sequences of hospitals, over the connections reserved for emergencies.
  private let hospitalSequence: ThirdPartySequence
  /// The turns of hospitals' pages, so that one of them at a time reads over those connections.
  private let hospitalTurns: DeliveryTurns
  /// The streams of hospitals.
  private let hospitals: LoopBound<EventFeed>
  private let notices: LoopBound<EventFeed>
  private let alarms: LoopBound<EventFeed>
  private let track4runSequence: ThirdPartySequence
  private let track4run: LoopBound<EventFeed>
  private let metrics: EventMetrics

  /// Routes over these samples; streams of this loop begin with the first of them. Notices,
  /// including alarms, and the sequences of hospitals are read over the connections of `reserved`,
  /// as `reservedSamples` and `reservedEmergencies` are.
  package init(
    _ dependencies: SharingDependencies, reserved: SharingDependencies, samples: SampleStore,
    reservedSamples: SampleStore, requests: any NoticeRequestSource,
    emergencies: any EmergencySource, reservedEmergencies: any EmergencySource
  ) {
    self.dependencies = dependencies
    self.reservedEmergencies = reservedEmergencies
    let metrics = EventMetrics(dependencies.metrics)
    self.metrics = metrics
    let sequence = ThirdPartySequence(
      loop: dependencies.loop, environment: dependencies.environment,
      database: dependencies.database,
      log: dependencies.log, samples: samples, accesses: AccessRecorder(root: dependencies.root),
      metrics: metrics, emergencies: emergencies)
    self.sequence = sequence
    func feed(_ source: any EventSource) -> LoopBound<EventFeed> {
      LoopBound(
        EventFeed(
          source, loop: dependencies.loop, streamWakeUp: dependencies.streamWakeUp,
          fence: dependencies.fence, log: dependencies.log, metrics),
        on: dependencies.loop)
    }
    func noticeFeed(isOfAlarms: Bool) -> LoopBound<EventFeed> {
      feed(
        NoticeFeed(
          environment: reserved.environment, database: reserved.database,
          accountKeys: reserved.accountKeys,
          locales: reserved.locales, log: reserved.log, requests: requests,
          isOfAlarms: isOfAlarms))
    }
    var track4runSequence = sequence
    track4runSequence.form = .track4run(dependencies.deletedAccounts)
    self.track4runSequence = track4runSequence
    sequences = feed(sequence)
    let hospitalSequence = ThirdPartySequence(
      loop: reserved.loop, environment: reserved.environment, database: reserved.database,
      log: reserved.log, samples: reservedSamples, accesses: sequence.accesses,
      metrics: metrics, emergencies: reservedEmergencies)
    self.hospitalSequence = hospitalSequence
    hospitalTurns = DeliveryTurns(on: reserved.loop)
    hospitals = feed(hospitalSequence)
    track4run = feed(track4runSequence)
    notices = noticeFeed(isOfAlarms: false)
    alarms = noticeFeed(isOfAlarms: true)
  }

  /// Publishes an alarm on the streams of an account while no database can be read: the event's
  /// name and its data. From any thread.
  package func publishAlarm(_ account: AccountID, _ name: String, _ data: [UInt8]) {
    for feed in [notices, alarms] {
      feed.loop.execute { feed.value.publish(account, name, data) }
    }
  }

  /// The rows for the service's router.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.thirdPartyEvents, events),
      routes.identified(.thirdPartyStream) { (request, identity) throws(ApplicationError) in
        // The calls of a hospital must not queue behind other data.
        let feed =
          try await reservedEmergencies.isHospital(identity.account)
          ? hospitals : sequences
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
        return try await page(of: track4runSequence, after: since, upTo: last, for: .track4run)
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
      try await feed.value.open(account, after: after), on: dependencies.loop)
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
          do { try await stream.value.send(bytes, to: writer) } catch {
            if stream.value.isRevoked { reason = .revoked }
            throw error
          }
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

  /// A page of the third party's sequence. The calls of a hospital must not wait for downloads, not
  /// even for its own, so its pages have separate turns and connections, and need no slot.
  @Sendable private func events(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let account = identity.account
    let since = request.query["since"].flatMap { Int64($0) } ?? 0
    let isHospital = try await reservedEmergencies.isHospital(account)
    let slot = try slot(for: account, isHospital: isHospital)
    let source = isHospital ? hospitalSequence : sequence
    let turns = isHospital ? hospitalTurns : dependencies.turns
    return try await turns.run(for: account) { () throws(ApplicationError) -> Response in
      try await page(of: source, after: since, for: account, holding: slot)
    }
  }

  /// A slot for a page of events, which a hospital gets without one if none is free.
  private func slot(
    for account: AccountID, isHospital: Bool
  ) throws(ApplicationError) -> DownloadSlot? {
    do throws(ApplicationError) { return try dependencies.downloads.take(for: account) } catch {
      guard isHospital else { throw error }
      return nil
    }
  }

  private static func number(_ text: String, _ field: String) throws(ApplicationError) -> Int64 {
    guard let number = Int64(text), number >= 0 else {
      throw .invalid("\(field) is a number of the stream.", field: field)
    }
    return number
  }

  private func page(
    of sequence: ThirdPartySequence, after since: Int64, upTo number: Int64 = .max,
    for account: AccountID, holding slot: DownloadSlot? = nil
  ) async throws(ApplicationError) -> Response {
    let position = EventPosition(account: account, after: since)
    let readAt = dependencies.loop.now
    let page = try await sequence.read(
      after: position, .events, entriesMax: sequence.form.entriesMax, upTo: number)
    var writer = JSONWriter()
    writer.object { writer in
      writer.array("events") { writer in
        for item in page.items { writer.raw(item.document) }
      }
      writer.field("next", page.next)
      writer.field("more", page.hasMore)
    }
    return try .json(
      writer.bytes, of: page.deliveries.map(\.requestID), readAt: readAt,
      behind: dependencies.fence, holding: slot)
  }
}
