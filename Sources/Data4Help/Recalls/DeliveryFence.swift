import Domain
import EventLoop
import HTTP
import Privacy
import Services
import Synchronization

/// What stands between data that was read and the connection it leaves by: on each loop, the
/// requests and accounts that were recalled, and until when this process may hand out anything at
/// all.
///
/// Consent is checked in the transaction that reads (`ConsentProof`); the fence is asked just
/// before each piece is handed over, since an end may have been answered in between. For its loop.
package final class DeliveryFence {
  /// How long recalls are remembered; what was read longer ago does not leave.
  package static let keptFor = Duration.seconds(600)

  private let loop: EventLoop
  private let isWatched: Bool
  private var recalled: [DataRequestID: MonotonicInstant] = [:]
  private var recalledAccounts: [AccountID: MonotonicInstant] = [:]
  private var openFrom = MonotonicInstant.zero
  private var openUntil = MonotonicInstant.zero
  private var stoppers: [(Recalled?) async -> Void] = []
  private var lapse: LoopTimer?

  /// A fence of a process that follows recalls, closed until it does; or of one that does not.
  package init(isWatched: Bool, on loop: EventLoop) {
    self.isWatched = isWatched
    self.loop = loop
  }

  /// Whether what was read of these requests, in a transaction that began at `readAt`, may be
  /// handed over now.
  package func admits(
    _ requestIDs: some Sequence<DataRequestID>, readAt: MonotonicInstant
  ) -> Bool {
    let now = loop.now
    guard !isWatched || readAt >= openFrom && now < openUntil, now - readAt < Self.keptFor
    else { return false }
    return recalled.isEmpty || !requestIDs.contains { recalled[$0] != nil }
  }

  /// The same for what is answered at once.
  ///
  /// - Throws: 503 if it may not leave; asked again, the consent decides.
  func check(
    _ requestIDs: some Sequence<DataRequestID>, readAt: MonotonicInstant
  ) throws(ApplicationError) {
    guard admits(requestIDs, readAt: readAt) else { throw .unavailable(retryAfter: 1) }
  }

  /// Whether this account was deleted lately.
  func hasRecalled(_ account: AccountID) -> Bool { recalledAccounts[account] != nil }

  /// Adds what ends deliveries under way of what is recalled, or all of them where the lease of the
  /// process has lapsed, and returns when they have ended.
  package func add(_ stopper: @escaping (Recalled?) async -> Void) {
    stoppers.append(stopper)
  }

  // MARK: From the watch

  /// Lets nothing of these requests out any more, and no mail of these accounts; returns when
  /// nothing of them is under way.
  package func recall(_ all: Recalled) async {
    let now = loop.now
    recalled = recalled.filter { now - $0.value < Self.keptFor * 2 }
    recalledAccounts = recalledAccounts.filter { now - $0.value < Self.keptFor * 2 }
    for requestID in all.requestIDs { recalled[requestID] = now }
    for account in all.accounts { recalledAccounts[account] = now }
    for stop in stoppers { await stop(all) }
  }

  /// Stays open until then, or opens; what was read while it was closed does not leave.
  package func extend(until end: MonotonicInstant) {
    let now = loop.now
    if now >= openUntil { openFrom = now }
    openUntil = max(openUntil, end)
    lapse?.cancel()
    let bound = LoopBound(self, on: loop)
    let loop = loop
    lapse = loop.schedule(after: openUntil - now) {
      loop.begin { for stop in bound.value.stoppers { await stop(nil) } }
    }
  }

  /// Lets nothing out any more.
  package func close() {
    openUntil = .zero
    lapse?.cancel()
  }
}

/// The fences of all loops of a process.
package final class DeliveryFences: Sendable {
  private let fences = Mutex<[LoopBound<DeliveryFence>]>([])
  private let isWatched: Bool
  private let joined = Mutex<UniversalID?>(nil)

  /// What the process is known by among those that hand out data; nil before its watch has joined
  /// them.
  var replica: UniversalID? { joined.withLock { $0 } }

  /// Notes under which name the watch has joined.
  func join(as replica: UniversalID) { joined.withLock { $0 = replica } }

  /// Fences of a process that runs a `RecallWatch`, or of one that is never waited for.
  package init(isWatched: Bool = false) { self.isWatched = isWatched }

  func add(on loop: EventLoop) -> LoopBound<DeliveryFence> {
    let fence = LoopBound(DeliveryFence(isWatched: isWatched, on: loop), on: loop)
    fences.withLock { $0.append(fence) }
    return fence
  }

  /// Runs `work` for each fence on its loop, and returns when all have ended.
  func each(_ work: @escaping @Sendable (DeliveryFence) async -> Void) async {
    for fence in fences.withLock({ $0 }) {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        fence.loop.begin {
          await work(fence.value)
          continuation.resume()
        }
      }
    }
  }
}
