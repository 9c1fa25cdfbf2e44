import Time

/// One measurement: type, time and value.
package struct Sample: Hashable, Sendable {
  /// The kind of data.
  package let type: DataType
  /// When it was measured.
  package let time: Instant
  /// The measured value.
  package let value: SampleValue

  /// Creates a sample from a parsed value.
  ///
  /// Throws the errors of `SampleTimeLimits.check`; `now` is the server's time.
  package init(
    type: DataType, time: Instant, value: SampleValue, now: Instant
  ) throws(SampleTimeError) {
    try SampleTimeLimits.check(time, now: now)
    self.init(stored: type, time: time, value: value)
  }

  /// Creates a sample that was checked before it was stored.
  package init(stored type: DataType, time: Instant, value: SampleValue) {
    self.type = type
    self.time = time
    self.value = value
  }
}

/// The limits of a sample's time.
package enum SampleTimeLimits {
  /// The earliest time of a sample, 1900-01-01T00:00:00Z.
  package static let earliest = Instant(millisecondsSince1970: -2_208_988_800_000)

  /// How far ahead of the server's time a device's clock may be: five minutes.
  package static let aheadMaxMilliseconds: Int64 = 300_000

  /// Throws `tooOld` before 1900 and `tooFarAhead` more than five minutes after `now`.
  package static func check(_ time: Instant, now: Instant) throws(SampleTimeError) {
    guard time >= earliest else { throw .tooOld }
    guard time <= now.adding(milliseconds: aheadMaxMilliseconds) else { throw .tooFarAhead }
  }
}

/// The reason why a time is not valid for a sample.
package enum SampleTimeError: DomainError {
  /// Before 1900.
  case tooOld
  /// More than five minutes in the future.
  case tooFarAhead

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .tooOld: "A sample is not from before 1900."
    case .tooFarAhead: "A sample is at most five minutes ahead of the server's time."
    }
  }
}
