/// The time spans of the detector that nobody sets, in milliseconds.
enum DetectorTimes {
  /// A reading older than this raises nothing (docs/facts.md, SOS: 60 s).
  static let staleMilliseconds: Int64 = 60_000
  /// How far ahead of ours a device's clock may be: five minutes, as for uploads.
  static let aheadMilliseconds: Int64 = 300_000
  /// Unconfirmed for so long, the person is asked (SOS-3: 30 s).
  static let askMilliseconds: Int64 = 30_000
  /// Without a reading for so long, the person is told (docs/facts.md, SOS: 10 minutes).
  static let silenceMilliseconds: Int64 = 600_000
  /// So long after a sample that says so, the person still exercises (docs/facts.md, SOS: the last
  /// two minutes).
  static let exerciseMilliseconds: Int64 = 120_000
  /// So long after an episode its rule raises no other. No source names a time; why ten minutes
  /// stands in docs/decisions/0079-an-emergency-ends-after-ten-quiet-minutes.md.
  static let coolDownMilliseconds: Int64 = 600_000
}

/// The time spans that the operator sets (docs/operations.md).
public struct Timing: Hashable, Sendable {
  private let confirm: UInt8
  private let abort: UInt8

  /// The register's clock: 3 s to confirm (SOS-3), a window of 5 s to abort (SOS-4).
  public init() { (confirm, abort) = (3, 5) }

  /// Other spans, whole seconds from 1 to 60 each; nil for others.
  public init?(confirmSeconds: Int, abortSeconds: Int) {
    guard (1...60).contains(confirmSeconds), (1...60).contains(abortSeconds) else { return nil }
    (confirm, abort) = (UInt8(confirmSeconds), UInt8(abortSeconds))
  }

  /// Critical readings this far apart, with no normal one between, confirm.
  var confirmMilliseconds: Int64 { Int64(confirm) * 1000 }

  /// How long the person can abort from the warning on, and has to answer when asked.
  var abortMilliseconds: Int64 { Int64(abort) * 1000 }
}
