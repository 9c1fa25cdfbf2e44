import Domain

/// Runs one count at a time and chooses the next one fairly. For one loop.
///
/// Each class of work has its own waiting places, which other classes can't take. Classes take
/// turns, and so do the waiting accounts of a class: an account waits for at most one count of each
/// other account before its own next count.
package final class ConcurrencyLimiter {
  /// The purpose of a count.
  package enum WorkClass: CaseIterable, Sendable {
    /// A group request of a third party.
    case requests
    /// A comparison of a person with an age band.
    case comparisons
    /// A window of a subscription.
    case subscriptions
  }

  /// Why a count was not admitted.
  package enum Refusal: Error {
    /// The account has its maximum number of waiting counts.
    case accountIsFull
    /// All waiting places of the class are taken.
    case classIsFull
  }

  /// The maximum number of waiting counts for each account and class.
  package static let waitingOfAccountMax = 2
  /// The maximum number of waiting counts in a class, over all accounts.
  package static let waitingMax = 64

  private var isBusy = false
  private var queues: [WorkClass: AccountQueue] = [:]
  private var order = WorkClass.allCases

  /// A limiter without running or waiting counts.
  package init() {}

  /// The number of waiting counts.
  package var waiting: Int { queues.values.reduce(0) { $0 + $1.count } }

  /// Returns when it is the caller's turn; the caller calls `leave` afterwards.
  ///
  /// - Throws: `Refusal`, without waiting, when no waiting place is free.
  package func enter(_ work: WorkClass, for account: AccountID) async throws(Refusal) {
    guard isBusy else {
      isBusy = true
      return
    }
    let queue = queues[work] ?? AccountQueue()
    guard queue.count(of: account) < Self.waitingOfAccountMax else { throw .accountIsFull }
    guard queue.count < Self.waitingMax else { throw .classIsFull }
    await withCheckedContinuation { queues[work, default: AccountQueue()].append($0, of: account) }
  }

  /// Admits the next count.
  package func leave() {
    for index in order.indices {
      guard let next = queues[order[index]]?.popFirst() else { continue }
      order.append(order.remove(at: index))
      next.resume()
      return
    }
    isBusy = false
  }
}

/// Counts that wait, of several accounts that take turns.
private struct AccountQueue {
  typealias Waiter = CheckedContinuation<Void, Never>

  private(set) var count = 0
  private var waiters: [AccountID: [Waiter]] = [:]
  /// The accounts that have waiters, the next one first.
  private var turns: [AccountID] = []

  func count(of account: AccountID) -> Int { waiters[account]?.count ?? 0 }

  mutating func append(_ waiter: Waiter, of account: AccountID) {
    if waiters[account] == nil { turns.append(account) }
    waiters[account, default: []].append(waiter)
    count += 1
  }

  mutating func popFirst() -> Waiter? {
    guard let account = turns.first, var own = waiters[account] else { return nil }
    turns.removeFirst()
    let waiter = own.removeFirst()
    waiters[account] = own.isEmpty ? nil : own
    if !own.isEmpty { turns.append(account) }
    count -= 1
    return waiter
  }
}
