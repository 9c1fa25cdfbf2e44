import Accounts
import Domain
import EventLoop
import HealthRecords
import Operations
import Postgres
import ServiceKit
import Time

/// Appends new samples to the sequences of subscribers, unless the account is inactive and the
/// request no check-in, and ends subscriptions that are over.
///
/// Each turn's work is bounded whatever the number of live subscriptions: the accounts with samples
/// stored by this process, the subscriptions that end now, and a slice of all the others in case
/// another process was killed. For its loop.
final class SubscriptionRelay {
  /// The interval between searches for ends, and between slices.
  static let interval = Duration.milliseconds(200)
  /// The delay from the first sample to the turn, so that samples of this time share it.
  static let gathering = Duration.milliseconds(20)
  /// The maximum number of accounts in one statement, of subscriptions in a slice, and of ends in
  /// one transaction.
  static let batchMax = 1_000

  private let loop: EventLoop
  private let environment: Environment
  private let database: Database
  private let notices: Notices
  private let events: ThirdPartyEvents
  private let relayWakeUp: RelayWakeUpSignal
  private var lastSeen = AccountID(rawValue: .min)
  private var unfinished: Set<AccountID> = []
  private var lastSlice = MonotonicInstant.zero

  init(
    loop: EventLoop, environment: Environment, database: Database, notices: Notices,
    events: ThirdPartyEvents,
    relayWakeUp: RelayWakeUpSignal
  ) {
    self.loop = loop
    self.environment = environment
    self.database = database
    self.notices = notices
    self.events = events
    self.relayWakeUp = relayWakeUp
  }

  /// Runs one turn; returns the number of subscriptions handled.
  func turn() async throws(ApplicationError) -> Int {
    var moved = try await relayArrived()
    let now = loop.now
    if now - lastSlice >= Self.interval {
      lastSlice = now
      moved += try await endOver()
      moved += try await relaySlice()
    }
    if moved > 0 { events.announce() }
    return moved
  }

  /// Does all due work at this moment, including all slices.
  func everything() async throws(ApplicationError) -> Int {
    var moved = try await relayArrived() + endOver()
    lastSeen = AccountID(rawValue: .min)
    repeat { moved += try await relaySlice() } while lastSeen.rawValue != .min
    if moved > 0 { events.announce() }
    return moved
  }

  /// Relays the samples that this process has stored; after a failure the next turn tries again.
  private func relayArrived() async throws(ApplicationError) -> Int {
    unfinished.formUnion(relayWakeUp.consume())
    var moved = 0
    while !unfinished.isEmpty {
      let accounts = Array(unfinished.prefix(Self.batchMax))
      let relay = RelayAccounts(now: environment.now(), accounts: accounts)
      moved += Int(try await database.effect(relay) ?? 0)
      unfinished.subtract(accounts)
    }
    return moved
  }

  private func endOver() async throws(ApplicationError) -> Int {
    let ended = try await database.transaction {
      (transaction) throws(ApplicationError) in
      let rows = try await transaction.run(
        EndSubscriptions(now: environment.now(), countMax: Int64(Self.batchMax)))
      try await notices.add(
        rows.flatMap { row in
          (row.isCheckIn ? [row.account] : [row.account, row.thirdParty]).map {
            RequestNotices.ended(row.requestID, .periodOver, to: $0)
          }
        }, in: transaction)
      return rows.count
    }
    return ended
  }

  private func relaySlice() async throws(ApplicationError) -> Int {
    let look = RelayMissed(
      now: environment.now(), after: lastSeen, countMax: Int64(Self.batchMax))
    guard let row = try await database.effect(look) else { return 0 }
    lastSeen =
      row.seen >= Self.batchMax ? row.last ?? AccountID(rawValue: .min) : AccountID(rawValue: .min)
    return Int(row.moved)
  }
}
