import Time

/// A sample in a block: time, device, sequence number and value.
package struct StoredSample: Hashable, Sendable {
  /// When it was measured.
  package let time: Instant
  /// The account's number of the device; 0 for manual entry.
  package let device: Int32
  /// Its number in the account's sequence, which is the order of commits.
  package let sequence: Int64
  /// The measured value.
  package let value: SampleValue

  /// Creates a sample with its storage attributes.
  package init(time: Instant, device: Int32, sequence: Int64, value: SampleValue) {
    self.time = time
    self.device = device
    self.sequence = sequence
    self.value = value
  }

  /// Whether two are the same sample: time, device and value are equal (the type is the block's).
  package func isDuplicate(of other: Self) -> Bool {
    time == other.time && device == other.device && value == other.value
  }
}

/// The header of a block of samples, available without decoding.
package struct SampleBlockHeader: Hashable, Sendable {
  /// The type of all its samples.
  package let type: DataType
  /// The number of samples, at least one.
  package let count: Int
  /// The time of the earliest.
  package let firstTime: Instant
  /// The time of the latest.
  package let lastTime: Instant
  /// The smallest number in the account's sequence.
  package let firstSequence: Int64
  /// The largest number in the account's sequence.
  package let lastSequence: Int64
  /// Count, sum, spread and extremes; nil for types without numbers.
  package let moments: StatisticalMoments?
}

/// The reason why bytes are not a valid block, or why samples cannot form one.
package enum SampleBlockError: DomainError {
  /// No sample at all.
  case empty
  /// More samples than a block can contain.
  case tooMany
  /// A value that is not valid for the type.
  case wrongKind
  /// A time, a device or a number beyond the range of the format.
  case outOfRange
  /// The bytes have a newer format.
  case unknownFormat
  /// The bytes are truncated, too long, or inconsistent.
  case corrupt

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .empty: "A block holds at least one sample."
    case .tooMany: "A block holds at most 1000000 samples."
    case .wrongKind: "A value does not have the kind of the block's type."
    case .outOfRange: "A time, device or number is out of a block's range."
    case .unknownFormat: "The block has a format that this version does not know."
    case .corrupt: "The block's bytes are corrupt."
    }
  }
}
