/// The time spans of the detector that nobody sets, in milliseconds.
enum DetectorTimes {
  /// A reading older than this raises nothing (docs/facts.md, SOS: 60 s).
  static let staleMilliseconds: Int64 = 60_000
  /// How far ahead of ours a device's clock may be: five minutes, as for uploads.
  static let aheadMilliseconds: Int64 = 300_000
  /// Without a reading for so long, the person is told (docs/facts.md, SOS: 10 minutes).
  static let silenceMilliseconds: Int64 = 600_000
  /// So long after a sample that says so, the person still exercises (docs/facts.md, SOS: the last
  /// two minutes).
  static let exerciseMilliseconds: Int64 = 120_000
  /// A heart rate of 0 to 19 BPM is a loss of pulse if its source had a pulse within this time
  /// before, and a fall or shaking within it makes the loss sure (docs/facts.md, SOS: 60 s).
  static let pulseMilliseconds: Int64 = 60_000
  /// A second reading without a pulse this long after the first confirms (docs/facts.md, SOS: 3 s).
  static let pulseConfirmMilliseconds: Int64 = 3_000
  /// This long after a first reading without a pulse the person is asked (docs/facts.md, SOS: 10
  /// s).
  static let pulseAskMilliseconds: Int64 = 10_000
  /// The window of a loss of pulse that is sure (docs/facts.md, SOS: 5 s).
  static let surePulseAbortMilliseconds: Int64 = 5_000
}

/// The time spans that the operator sets (docs/operations.md).
public struct Timing: Hashable, Sendable {
  private let confirm: UInt8
  private let abort: UInt8
  private let pulseAbort: UInt8

  /// The register's times: 3 s to confirm (SOS-3), a window of 5 s to abort (SOS-4), and one of
  /// 20 s where a pulse is lost (SOS-13).
  public init() { (confirm, abort, pulseAbort) = (3, 5, 20) }

  /// Other spans, whole seconds: 1 to 60 for confirming and aborting, 5 to 60 for aborting where a
  /// pulse is lost; nil for others.
  public init?(confirmSeconds: Int, abortSeconds: Int, pulseAbortSeconds: Int = 20) {
    guard (1...60).contains(confirmSeconds), (1...60).contains(abortSeconds),
      (5...60).contains(pulseAbortSeconds)
    else { return nil }
    (confirm, abort) = (UInt8(confirmSeconds), UInt8(abortSeconds))
    pulseAbort = UInt8(pulseAbortSeconds)
  }

  /// Critical readings this far apart, with no normal one between, confirm.
  var confirmMilliseconds: Int64 { Int64(confirm) * 1000 }

  /// How long the person can abort from the warning on, and has to answer when asked.
  var abortMilliseconds: Int64 { Int64(abort) * 1000 }

  /// The same where a pulse is lost.
  var pulseAbortMilliseconds: Int64 { Int64(pulseAbort) * 1000 }
}
