import Domain
import Time

/// A sample to be stored for an account: validated, without a number yet.
package struct NewSample: Hashable, Sendable {
  /// The kind of data.
  package let type: DataType
  /// When it was measured.
  package let time: Instant
  /// The account's number of the device; 0 for a manual entry by the person.
  package let device: Int32
  /// What was measured.
  package let value: SampleValue

  /// A sample of parsed parts, whose time was checked against `SampleTimeLimits`.
  package init(type: DataType, time: Instant, device: Int32 = 0, value: SampleValue) {
    self.type = type
    self.time = time
    self.device = device
    self.value = value
  }
}

/// The outcome of samples passed to `SampleStore`, as counts.
package struct AppendOutcome: Hashable, Sendable {
  /// Stored under new numbers.
  package var stored = 0
  /// Not stored: the same type, time, device and value exists already, or was sent twice.
  package var duplicates = 0
  /// Not stored: the person has switched the type off (DAT-1), or named another device for it.
  package var disabled = 0
  /// Not stored: the person has paused collection (DAT-8).
  package var paused = 0
  /// The oldest samples of the account, dropped to make room for these (DAT-5).
  package var dropped = 0
  /// Whether the account may have subscribers, so that the relay must be notified.
  package var isSubscribed = false

  /// An outcome of no samples.
  package init() {}

  /// The sum of two outcomes.
  package static func += (left: inout AppendOutcome, right: AppendOutcome) {
    left.stored += right.stored
    left.duplicates += right.duplicates
    left.disabled += right.disabled
    left.paused += right.paused
    left.dropped += right.dropped
    left.isSubscribed = left.isSubscribed || right.isSubscribed
  }
}

/// A stored sample with its type, as read.
package struct NumberedSample: Hashable, Sendable {
  /// The kind of data.
  package let type: DataType
  /// Number, time, device and value.
  package let sample: StoredSample

  /// A sample and its type.
  package init(type: DataType, sample: StoredSample) {
    self.type = type
    self.sample = sample
  }
}
