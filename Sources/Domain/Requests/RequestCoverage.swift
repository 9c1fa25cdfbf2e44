/// Which samples of the person a request reaches (R14): all conditions hold together.
package struct RequestCoverage: Hashable, Sendable {
  /// Samples of these types.
  package let types: DataTypeSet
  /// Measured at this time or later; nil for no bound.
  package let from: Timestamp?
  /// Measured before this time; nil for no bound.
  package let to: Timestamp?
  /// Numbered below this in the account's own sequence; nil for no bound.
  package let sequenceBound: Int64?
  /// When new samples cease to enter the third party's sequence; nil where none enter.
  package let endsAt: Timestamp?
  /// Whether samples that arrive now enter the third party's sequence.
  package let takesNewSamples: Bool

  /// Whether a stored sample is reached.
  package func covers(_ type: DataType, time: Timestamp, sequence: Int64) -> Bool {
    types.contains(type) && from.map { time >= $0 } ?? true && to.map { time < $0 } ?? true
      && sequenceBound.map { sequence < $0 } ?? true
  }
}

extension SingleRequest {
  /// What may be handed out at `now`, or nil where nothing may: not accepted, not paid, ended by
  /// the user, without data, or an account that is gone (R14, R21).
  ///
  /// Without subscription it is the set stored at acceptance and measured before it. With one, also
  /// what arrives until its end; after a natural end or the third party's own, what had entered
  /// the third party's sequence by then.
  package func coverage(at now: Timestamp) -> RequestCoverage? {
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
