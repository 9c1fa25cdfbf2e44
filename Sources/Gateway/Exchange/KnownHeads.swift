import Cryptography
import HTTP
import PublicAPI
import Time

/// A request's head that was received before, and the results of the phases that depend on it
/// alone. Checks of anything else (rates, sessions, bodies) are made for each request.
package final class KnownHead {
  /// The head as it was received.
  package let head: RequestHead
  let plan: EndpointPlan
  let treatment: BodyPhase.Treatment
  let token: KnownHeads.Token
  let hash: UInt64
  private let caller: ForwardPhase.Caller
  /// The head for the service.
  package let prepared: PreparedHead

  /// A candidate that was admitted for this caller.
  package init(
    _ candidate: KnownHeads.Candidate, _ caller: ForwardPhase.Caller, _ prepared: PreparedHead
  ) {
    head = candidate.head
    plan = candidate.plan
    treatment = candidate.treatment
    token = candidate.token
    hash = candidate.hash
    self.caller = caller
    self.prepared = prepared
  }

  /// The head as a candidate, to be remembered for another caller.
  var candidate: KnownHeads.Candidate {
    KnownHeads.Candidate(hash: hash, head: head, plan: plan, treatment: treatment, token: token)
  }

  /// Whether the prepared head says the same of the caller.
  func fits(
    _ session: Session, _ token: TokenHash, address: [UInt8], isSecure: Bool, isWatched: Bool
  ) -> Bool {
    guard let known = caller.identity else { return false }
    return known.token == token && known.session.account == session.account
      && known.session.kind == session.kind && known.session.bearer == session.bearer
      && caller.isSecure == isSecure && caller.isWatched == isWatched
      && caller.address == address
  }
}

/// Remembers the heads that clients of one loop repeat, as most clients do except for numbers and
/// dates. The trace of a request is not part of it.
///
/// A head is found by all of its bytes, so that equal ones have the same path, fields and token.
/// Its slot depends on a random key. A head is remembered when it comes a second time, and replaced
/// by any other of its slot that does.
package final class KnownHeads {
  /// A head that came a second time, and what its phases have found so far.
  ///
  /// A class: few requests have a candidate, and a struct would enlarge every exchange.
  package final class Candidate {
    let hash: UInt64
    let head: RequestHead
    let plan: EndpointPlan
    let treatment: BodyPhase.Treatment
    let token: Token

    /// A head with this hash, which `find` returned.
    package init(
      hash: UInt64, head: RequestHead, plan: EndpointPlan, treatment: BodyPhase.Treatment,
      token: Token
    ) {
      self.hash = hash
      self.head = head
      self.plan = plan
      self.treatment = treatment
      self.token = token
    }
  }

  /// The text of the token, and whether it is that of the session's cookie.
  package struct Token {
    var text: [UInt8]
    var isCookie: Bool

    /// A token in one place of a head.
    package init(text: [UInt8], isCookie: Bool) {
      self.text = text
      self.isCookie = isCookie
    }
  }

  /// The number of remembered heads, at most some 15 MB for each loop.
  private static let slotsMax = 2048
  /// The longest head that is remembered, in bytes of its target and fields.
  package static let bytesMax = 1024

  private struct Slot {
    /// The hash of the latest head.
    var latest: UInt64 = 0
    var known: KnownHead?
  }

  private let seed: UInt64
  private var slots = [Slot](repeating: Slot(), count: slotsMax)

  /// An empty memory with this secret seed.
  package init(seed: UInt64) { self.seed = seed }

  /// The result of a look-up.
  package enum Match {
    /// It was remembered.
    case known(KnownHead)
    /// It comes at least the second time; the value is its hash.
    case repeated(UInt64)
    case new
  }

  /// Looks a head up.
  package func find(_ head: borrowing RequestHead) -> Match {
    guard head.target.count + head.fields.byteCount <= Self.bytesMax else { return .new }
    let hash = head.hash(seed: seed)
    let index = Int(hash % UInt64(Self.slotsMax))
    // Moved out, here and below, so that the compiler proves exclusive access.
    var slots: [Slot] = []
    swap(&slots, &self.slots)
    defer { swap(&slots, &self.slots) }
    if let known = slots[index].known, known.hash == hash, head.isIdentical(to: known.head) {
      return .known(known)
    }
    guard slots[index].latest == hash else {
      slots[index].latest = hash
      return .new
    }
    return .repeated(hash)
  }

  /// Forgets all heads.
  func forget() { slots = [Slot](repeating: Slot(), count: Self.slotsMax) }

  /// Remembers a head.
  package func remember(_ known: KnownHead) {
    let index = Int(known.hash % UInt64(Self.slotsMax))
    var slots: [Slot] = []
    swap(&slots, &self.slots)
    slots[index] = Slot(latest: known.hash, known: known)
    swap(&slots, &self.slots)
  }
}
