/// One emergency of a person under one rule, starting with the first critical reading.
public struct Emergency: Hashable, Sendable {
  /// When the first critical reading was measured, by the device's clock.
  public let firstCritical: Moment
  /// When that reading was judged, t0 of the register: the person is warned at this time.
  public let suspectedAt: Moment
  /// The end of the window for aborting, which starts with the warning: no call is made before.
  public let abortUntil: Moment
  /// The broken rule.
  public let rule: Rule

  /// Creates an emergency from a decision or from storage.
  public init(rule: Rule, firstCritical: Moment, suspectedAt: Moment, abortUntil: Moment) {
    self.rule = rule
    self.firstCritical = firstCritical
    self.suspectedAt = suspectedAt
    self.abortUntil = abortUntil
  }

  /// How long the person can abort after the warning, and how long an answer may take, in
  /// milliseconds.
  public var windowMilliseconds: Int64 { abortUntil - suspectedAt }

  /// Whether both are the same emergency, regardless of who decided it and when (SOS-7).
  public func isSame(as other: Emergency) -> Bool {
    rule == other.rule && firstCritical == other.firstCritical
  }

  /// The name of an account's emergency: 17 bytes, the same on every replica that judges the
  /// readings, and unique.
  ///
  /// The bytes contain the account's number; only a keyed hash of them leaves the service.
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
