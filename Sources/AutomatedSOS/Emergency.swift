/// One emergency of a person under one rule, from the first critical reading on.
public struct Emergency: Hashable, Sendable {
  /// When the first critical reading was measured, by the device's clock.
  public let firstCritical: Moment
  /// When that reading was judged, t0 of the register: the person is to be warned now.
  public let suspectedAt: Moment
  /// The end of the window for aborting that runs from the warning: no call goes out before.
  public let abortUntil: Moment
  /// The rule that is broken.
  public let rule: Rule

  /// An emergency as it was decided, or as it was stored.
  public init(rule: Rule, firstCritical: Moment, suspectedAt: Moment, abortUntil: Moment) {
    self.rule = rule
    self.firstCritical = firstCritical
    self.suspectedAt = suspectedAt
    self.abortUntil = abortUntil
  }

  /// How long the person can abort from the warning on, and has to answer when asked, in
  /// milliseconds.
  public var windowMilliseconds: Int64 { abortUntil - suspectedAt }

  /// Whether both are the same emergency, whoever decided it and when (SOS-7).
  public func isSame(as other: Emergency) -> Bool {
    rule == other.rule && firstCritical == other.firstCritical
  }

  /// What names the emergency of an account: 17 bytes, the same on every replica that is given the
  /// readings, and different for different emergencies.
  ///
  /// They hold the account's number: what leaves the service is a keyed hash of them.
  public func name(ofAccount account: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(17)
    for word in [account, firstCritical.milliseconds] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> Int64(shift)))
      }
    }
    bytes.append(rule.rawValue)
    return bytes
  }
}
