/// The fixed time spans of the detector, in milliseconds.
enum DetectorTimes {
  /// A reading older than this raises no emergency (docs/facts.md, SOS: 60 s).
  static let staleMilliseconds: Int64 = 60_000
  /// How far a device's clock may be ahead of ours: five minutes, as for uploads.
  static let aheadMilliseconds: Int64 = 300_000
  /// The time without a reading after which the person is notified (docs/facts.md, SOS: 10
  /// minutes).
  static let silenceMilliseconds: Int64 = 600_000
  /// How long a sample that indicates exercise counts (docs/facts.md, SOS: the last two minutes).
  static let exerciseMilliseconds: Int64 = 120_000
  /// A heart rate of 0 to 19 BPM is a loss of pulse if its source had a pulse within this time
  /// before; a fall or shaking within this time makes the loss certain (docs/facts.md, SOS: 60 s).
  static let pulseMilliseconds: Int64 = 60_000
  /// A second reading without a pulse confirms if it is this much later (docs/facts.md, SOS: 3 s).
  static let pulseConfirmMilliseconds: Int64 = 3_000
  /// The time from a first reading without a pulse until the person is asked (docs/facts.md, SOS:
  /// 10 s).
  static let pulseAskMilliseconds: Int64 = 10_000
  /// The window for aborting a certain loss of pulse (docs/facts.md, SOS: 5 s).
  static let surePulseAbortMilliseconds: Int64 = 5_000
}

/// The time spans set by the operator (docs/operations.md).
public struct Timing: Hashable, Sendable {
  private let confirm: UInt8
  private let abort: UInt8
  private let pulseAbort: UInt8

  /// The register's times: 3 s to confirm (SOS-3), a window of 5 s to abort (SOS-4), and one of 20
  /// s for a loss of pulse (SOS-13).
  public init() { (confirm, abort, pulseAbort) = (3, 5, 20) }

  /// Creates other spans in whole seconds: 1 to 60 for confirming and for aborting, 5 to 60 for
  /// aborting a loss of pulse; nil for values outside.
  public init?(confirmSeconds: Int, abortSeconds: Int, pulseAbortSeconds: Int = 20) {
    guard (1...60).contains(confirmSeconds), (1...60).contains(abortSeconds),
      (5...60).contains(pulseAbortSeconds)
    else { return nil }
    (confirm, abort) = (UInt8(confirmSeconds), UInt8(abortSeconds))
    pulseAbort = UInt8(pulseAbortSeconds)
  }

  /// Critical readings at least this far apart, without a normal one between them, confirm.
  var confirmMilliseconds: Int64 { Int64(confirm) * 1000 }

  /// How long the person can abort after the warning, and how long an answer may take.
  var abortMilliseconds: Int64 { Int64(abort) * 1000 }

  /// The same for a loss of pulse.
  var pulseAbortMilliseconds: Int64 { Int64(pulseAbort) * 1000 }
}
