import Domain

/// Runs one piece of heavy work at a time and chooses the next one fairly. For one loop.
///
/// Each class of work has its own waiting places, which other classes can't take. Classes take
/// turns, and so do the waiting accounts of a class: an account waits for at most one piece of each
/// other account before its own next piece. In a full class an account displaces the latest piece
/// of the account with the most waiting ones, so that a few accounts can't take all places.
package final class ConcurrencyLimiter {
  /// The purpose of the work.
  package enum WorkClass: CaseIterable, Sendable {
    /// The count of a third party's group request.
    case requests
    /// The count for a comparison of a person with an age band.
    case comparisons
    /// The count of a subscription's window.
    case subscriptions
    /// A batch of samples for a third party.
    case deliveries
  }

  /// Why work was not admitted.
  package enum Refusal: Error {
    /// The account has its maximum number of waiting pieces, or had the most of a full class and
    /// another account took a place.
    case accountIsFull
    /// All waiting places of the class are taken, and no account has more than the caller would.
    case classIsFull
  }

  /// The maximum number of waiting pieces in a class, over all accounts.
  package static let waitingMax = 64

  private let waitingOfAccountMax: Int
  private var isBusy = false
  private var queues: [WorkClass: AccountQueue] = [:]
  private var order = WorkClass.allCases

  /// A limiter without running or waiting work, with at most this many waiting pieces of each
  /// account and class.
  package init(waitingOfAccountMax: Int = 2) { self.waitingOfAccountMax = waitingOfAccountMax }

  /// The number of waiting pieces.
  package var waiting: Int { queues.values.reduce(0) { $0 + $1.count } }

  /// Returns when it is the caller's turn; the caller calls `leave` afterwards.
  ///
  /// - Throws: `Refusal`, without waiting, when no waiting place is free; `accountIsFull`, after
  ///   waiting, when another account took the place.
  package func enter(_ work: WorkClass, for account: AccountID) async throws(Refusal) {
    if isBusy, let queue = queues[work] {
      guard queue.count(of: account) < waitingOfAccountMax else { throw .accountIsFull }
      if queue.countOfNew >= Self.waitingMax {
        guard let displaced = queues[work]?.displace(for: account) else { throw .classIsFull }
        displaced.continuation.resume(returning: .accountIsFull)
      }
    }
    if let refusal = await waitForTurn(work, account, isNew: true) { throw refusal }
  }

  /// The same for the next piece of work that was admitted before. It is never refused, and takes
  /// no place of the class from other accounts.
  package func enterAgain(_ work: WorkClass, for account: AccountID) async {
    // Only new work is displaced.
    _ = await waitForTurn(work, account, isNew: false)
  }

  /// Returns nil when it is the caller's turn, or the refusal of displaced work.
  private func waitForTurn(
    _ work: WorkClass, _ account: AccountID, isNew: Bool
  ) async -> Refusal? {
    guard isBusy else {
      isBusy = true
      return nil
    }
    return await withCheckedContinuation { (continuation: CheckedContinuation<Refusal?, Never>) in
      queues[work, default: AccountQueue()].append(
        AccountQueue.Waiter(continuation: continuation, isNew: isNew), of: account)
    }
  }

  /// Admits the next piece.
  package func leave() {
    for index in order.indices {
      guard let next = queues[order[index]]?.popFirst() else { continue }
      order.append(order.remove(at: index))
      next.continuation.resume(returning: nil)
      return
    }
    isBusy = false
  }
}

/// Work that waits, of several accounts that take turns.
private struct AccountQueue {
  struct Waiter {
    let continuation: CheckedContinuation<ConcurrencyLimiter.Refusal?, Never>
    /// Whether no piece of the work was admitted yet.
    let isNew: Bool
  }

  private(set) var count = 0
  private(set) var countOfNew = 0
  private var waiters: [AccountID: [Waiter]] = [:]
  /// The accounts that have waiters, the next one first.
  private var turns: [AccountID] = []

  func count(of account: AccountID) -> Int { waiters[account]?.count ?? 0 }

  mutating func append(_ waiter: Waiter, of account: AccountID) {
    if waiters[account] == nil { turns.append(account) }
    waiters[account, default: []].append(waiter)
    count += 1
    if waiter.isNew { countOfNew += 1 }
  }

  mutating func popFirst() -> Waiter? {
    guard let account = turns.first, var own = waiters[account] else { return nil }
    turns.removeFirst()
    let waiter = own.removeFirst()
    waiters[account] = own.isEmpty ? nil : own
    if !own.isEmpty { turns.append(account) }
    count -= 1
    if waiter.isNew { countOfNew -= 1 }
    return waiter
  }

  /// Removes the latest new waiter of the account with the most new ones; nil if `account`, with
  /// one more, would have as many.
  mutating func displace(for account: AccountID) -> Waiter? {
    var most = countOfNew(of: account) + 1
    var found: AccountID?
    for other in turns {
      let count = countOfNew(of: other)
      if count > most { (most, found) = (count, other) }
    }
    // It has at least two waiters, so it keeps its turn.
    guard let found, var left = waiters[found], let index = left.lastIndex(where: \.isNew)
    else { return nil }
    let waiter = left.remove(at: index)
    waiters[found] = left
    count -= 1
    countOfNew -= 1
    return waiter
  }

  private func countOfNew(of account: AccountID) -> Int {
    waiters[account]?.count(where: \.isNew) ?? 0
  }
}
