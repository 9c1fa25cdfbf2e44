import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Lets new samples enter the sequences of subscribers, and ends subscriptions whose time is over.
///
/// Each turn's work is bounded whatever the number of live subscriptions: the accounts that this
/// process has stored samples of, the subscriptions that end now, and a slice of all the others in
/// case another process was killed. For its loop.
final class SubscriptionRelay {
  /// How often ends are looked for, and the next slice.
  static let interval = Duration.milliseconds(200)
  /// From the first sample of a turn to its beginning: so many share it.
  static let gathering = Duration.milliseconds(20)
  /// Accounts of one statement, subscriptions of a slice, and ends of one transaction at most.
  static let batchMax = 1_000

  private let surroundings: Surroundings
  private var lastSeen = AccountID(rawValue: .min)
  private var unfinished: Set<AccountID> = []
  private var lastSlice = MonotonicInstant.zero

  init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  /// One turn; gives how many subscriptions it looked after.
  func turn() async throws(ApplicationError) -> Int {
    var moved = try await relayArrived()
    let now = surroundings.loop.now
    if now - lastSlice >= Self.interval {
      lastSlice = now
      moved += try await endOver()
      moved += try await relaySlice()
    }
    if moved > 0 { surroundings.events.announce() }
    return moved
  }

  /// Everything there is to do at this moment, all slices included.
  func everything() async throws(ApplicationError) -> Int {
    var moved = try await relayArrived() + endOver()
    lastSeen = AccountID(rawValue: .min)
    repeat { moved += try await relaySlice() } while lastSeen.rawValue != .min
    if moved > 0 { surroundings.events.announce() }
    return moved
  }

  /// What this process has stored; what fails is tried again with the next turn.
  private func relayArrived() async throws(ApplicationError) -> Int {
    unfinished.formUnion(surroundings.relayBell.take())
    var moved = 0
    while !unfinished.isEmpty {
      let accounts = Array(unfinished.prefix(Self.batchMax))
      let relay = RelayAccounts(now: surroundings.world.now(), accounts: accounts)
      moved += Int(try await surroundings.database.effect(relay) ?? 0)
      unfinished.subtract(accounts)
    }
    return moved
  }

  private func endOver() async throws(ApplicationError) -> Int {
    let ended = try await surroundings.database.transaction {
      (transaction) throws(ApplicationError) in
      let rows = try await transaction.run(
        EndSubscriptions(now: surroundings.world.now(), countMax: Int64(Self.batchMax)))
      try await surroundings.notices.add(
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
      now: surroundings.world.now(), after: lastSeen, countMax: Int64(Self.batchMax))
    guard let row = try await surroundings.database.effect(look) else { return 0 }
    lastSeen =
      row.seen >= Self.batchMax ? row.last ?? AccountID(rawValue: .min) : AccountID(rawValue: .min)
    return Int(row.moved)
  }
}
