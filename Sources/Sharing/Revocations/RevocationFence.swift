import Bytes
import Domain
import EventLoop
import ServiceKit
import Synchronization
import Time
import Web

/// Stops data between its reading and its sending: holds on each loop the requests and accounts
/// that were revoked, and until when this process may send anything at all.
///
/// Consent is checked in the transaction that reads (`ConsentProof`). The fence is checked just
/// before each piece is sent, since the end of a request may have been confirmed in between, and
/// cuts off responses whose client has not received a piece yet. Only for its loop.
package final class RevocationFence {
  /// How long revocations are remembered; data read longer ago is not sent.
  package static let keptFor = Duration.seconds(600)

  private let loop: EventLoop
  private let isWatched: Bool
  private var revoked: [DataRequestID: MonotonicInstant] = [:]
  private var revokedAccounts: [AccountID: MonotonicInstant] = [:]
  private var openFrom = MonotonicInstant.zero
  private var openUntil = MonotonicInstant.zero
  private var stoppers: [(Revoked?) async -> Void] = []
  /// The responses that are being written.
  private var deliveries: [Delivery] = []
  private var lapse: LoopTimer?

  /// A fence of a process that follows revocations, closed until it does; or of one that does not.
  package init(isWatched: Bool, on loop: EventLoop) {
    self.isWatched = isWatched
    self.loop = loop
  }

  /// Whether data of these requests, read in a transaction that began at `readAt`, may be sent now.
  package func admits(
    _ requestIDs: some Sequence<DataRequestID>, readAt: MonotonicInstant
  ) -> Bool {
    let now = loop.now
    guard !isWatched || readAt >= openFrom && now < openUntil, now - readAt < Self.keptFor
    else { return false }
    return revoked.isEmpty || !requestIDs.contains { revoked[$0] != nil }
  }

  /// The same check for data that is sent in one response.
  ///
  /// - Throws: `unavailable` if it may not be sent; a repetition checks the consent again.
  func check(
    _ requestIDs: some Sequence<DataRequestID>, readAt: MonotonicInstant
  ) throws(ApplicationError) {
    guard admits(requestIDs, readAt: readAt) else { throw .unavailable(retryAfter: 1) }
  }

  /// The bytes that are passed to a connection at a time.
  static let pieceBytesMax = 64 << 10

  /// Writes data of these requests in pieces, and begins none after one of them was revoked. Then
  /// it also discards what the client's connection has not taken, and resets the response.
  ///
  /// - Throws: `unavailable` if a piece may not be sent; `BodyWriter.Failure` if the client has
  ///   disconnected or the response was cut off.
  func write(
    _ bytes: [UInt8], of requestIDs: [DataRequestID], readAt: MonotonicInstant,
    to writer: BodyWriter
  ) async throws {
    let delivery = Delivery(requestIDs: requestIDs, writer: writer)
    deliveries.append(delivery)
    defer { deliveries.removeAll { $0 === delivery } }
    writer.limitBuffering()
    var rest = bytes[...]
    while !rest.isEmpty {
      try check(requestIDs, readAt: readAt)
      let piece = Array(rest.prefix(Self.pieceBytesMax))
      rest = rest.dropFirst(piece.count)
      try await writer.write(piece)
    }
  }

  /// Cuts off the responses with data of revoked requests; nil stands for all requests.
  private func cutOff(_ revoked: Set<DataRequestID>?) {
    for delivery in deliveries
    where revoked.map({ !$0.isDisjoint(with: delivery.requestIDs) }) ?? true {
      delivery.writer.abort()
    }
  }

  private final class Delivery {
    let requestIDs: [DataRequestID]
    let writer: BodyWriter

    init(requestIDs: [DataRequestID], writer: BodyWriter) {
      self.requestIDs = requestIDs
      self.writer = writer
    }
  }

  /// Whether this account was deleted recently.
  func hasRevoked(_ account: AccountID) -> Bool { revokedAccounts[account] != nil }

  /// Adds a function that ends deliveries in progress of revoked requests, or all of them if the
  /// lease of the process has expired, and returns when they have ended.
  package func add(_ stopper: @escaping (Revoked?) async -> Void) {
    stoppers.append(stopper)
  }

  // MARK: From the watch

  /// Blocks all data of these requests and all mail of these accounts; returns when none of it is
  /// being sent.
  package func revoke(_ all: Revoked) async {
    let now = loop.now
    revoked = revoked.filter { now - $0.value < Self.keptFor * 2 }
    revokedAccounts = revokedAccounts.filter { now - $0.value < Self.keptFor * 2 }
    for requestID in all.requestIDs { revoked[requestID] = now }
    for account in all.accounts { revokedAccounts[account] = now }
    cutOff(all.requestIDs)
    for stop in stoppers { await stop(all) }
  }

  /// Opens the fence until then, or extends that time; data that was read while it was closed is
  /// not sent.
  package func extend(until end: MonotonicInstant) {
    let now = loop.now
    if now >= openUntil { openFrom = now }
    openUntil = max(openUntil, end)
    lapse?.cancel()
    let bound = LoopBound(self, on: loop)
    let loop = loop
    lapse = loop.schedule(after: openUntil - now) {
      loop.begin {
        bound.value.cutOff(nil)
        for stop in bound.value.stoppers { await stop(nil) }
      }
    }
  }

  /// Closes the fence, and cuts off the responses that are being written.
  package func close() {
    openUntil = .zero
    lapse?.cancel()
    cutOff(nil)
  }
}

/// The fences of all loops of a process.
package final class RevocationFences: Sendable {
  private let fences = Mutex<[LoopBound<RevocationFence>]>([])
  private let isWatched: Bool
  private let joined = Mutex<UniversalID?>(nil)

  /// The name of the process among those that send data; nil before its watch has joined them.
  var replica: UniversalID? { joined.withLock { $0 } }

  /// Stores the name under which the watch has joined.
  func join(as replica: UniversalID) { joined.withLock { $0 = replica } }

  /// Fences of a process that runs a `RevocationWatch`, or of one that no revocation waits for.
  package init(isWatched: Bool = false) { self.isWatched = isWatched }

  package func add(on loop: EventLoop) -> LoopBound<RevocationFence> {
    let fence = LoopBound(RevocationFence(isWatched: isWatched, on: loop), on: loop)
    fences.withLock { $0.append(fence) }
    return fence
  }

  /// Runs `work` for each fence on its loop, and returns when all have ended.
  func each(_ work: @escaping @Sendable (RevocationFence) async -> Void) async {
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
