import Time

/// The samples that a request covers (R14): all conditions must hold.
package struct RequestCoverage: Hashable, Sendable {
  /// Samples of these types.
  package let types: DataTypeSet
  /// Measured at this time or later; nil for no bound.
  package let from: Instant?
  /// Measured before this time; nil for no bound.
  package let to: Instant?
  /// With a number below this in the account's own sequence; nil for no bound.
  package let sequenceBound: Int64?
  /// When new samples stop entering the third party's sequence; nil if none enter.
  package let endsAt: Instant?
  /// Whether samples that arrive now enter the third party's sequence.
  package let takesNewSamples: Bool

  /// Whether a stored sample is covered.
  package func covers(_ type: DataType, time: Instant, sequence: Int64) -> Bool {
    types.contains(type) && from.map { time >= $0 } ?? true && to.map { time < $0 } ?? true
      && sequenceBound.map { sequence < $0 } ?? true
  }
}

extension SingleRequest {
  /// The data that may be disclosed at `now`. Nil if none may: the request is not accepted, not
  /// paid, ended by the person, without data, or of a deleted account (R14, R21).
  ///
  /// Without subscription, the samples stored at acceptance and measured before it. With a
  /// subscription, also those that arrive until its end; after it expired, or the third party ended
  /// it, those that had entered the third party's sequence by then.
  package func coverage(at now: Instant) -> RequestCoverage? {
    var settled = self
    settled.settle(now: now)
    switch settled.state {
    case .accepted(let acceptance): return coverage(acceptance, takesNew: terms.subscribing)
    case .ended(_, .periodOver, let acceptance), .ended(_, .thirdParty, let acceptance):
      return coverage(acceptance, takesNew: false)
    case .ended(_, .singleUser, _), .ended(_, .noData, _), .ended(_, .accountDeleted, _),
      .pending, .paymentDue, .declined, .expired:
      return nil
    }
  }

  private func coverage(_ acceptance: Acceptance, takesNew: Bool) -> RequestCoverage {
    let latest = acceptance.endsAt ?? acceptance.time
    return RequestCoverage(
      types: acceptance.types, from: terms.from, to: min(terms.to ?? latest, latest),
      sequenceBound: terms.subscribing ? nil : acceptance.nextSequence,
      endsAt: acceptance.endsAt, takesNewSamples: takesNew)
  }
}
