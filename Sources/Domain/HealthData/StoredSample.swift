/// A sample as it lies in a block: when, from which device, under which number, and the value.
package struct StoredSample: Hashable, Sendable {
  /// When it was measured.
  package let time: Timestamp
  /// The account's number of the device; 0 for what the user entered by hand.
  package let device: Int32
  /// Its place in the account's sequence, which is the order of commits.
  package let sequence: Int64
  /// What was measured.
  package let value: SampleValue

  /// A sample with what storage knows of it.
  package init(time: Timestamp, device: Int32, sequence: Int64, value: SampleValue) {
    self.time = time
    self.device = device
    self.sequence = sequence
    self.value = value
  }

  /// Whether two are the same sample: time, device and value agree (the type is the block's).
  package func isDuplicate(of other: Self) -> Bool {
    time == other.time && device == other.device && value == other.value
  }
}

/// What a block of samples says about itself without being decoded.
package struct SampleBlockHeader: Hashable, Sendable {
  /// The type of all its samples.
  package let type: DataType
  /// How many samples, at least one.
  package let count: Int
  /// The time of the earliest.
  package let firstTime: Timestamp
  /// The time of the latest.
  package let lastTime: Timestamp
  /// The smallest number in the account's sequence.
  package let firstSequence: Int64
  /// The greatest number in the account's sequence.
  package let lastSequence: Int64
  /// Count, sum, spread and extremes; nil for types that are no numbers.
  package let moments: Moments?
}

/// Why bytes are no block of samples, or samples can be no block.
package enum SampleBlockError: DomainError {
  /// No sample at all.
  case empty
  /// More samples than a block may hold.
  case tooMany
  /// A value that is no value of the type.
  case wrongKind
  /// A time, a device or a number beyond what the format holds.
  case outOfRange
  /// The bytes are of a later format.
  case unknownFormat
  /// The bytes end too early, go on too long or contradict themselves.
  case corrupt

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .empty: "A block holds at least one sample."
    case .tooMany: "A block holds at most 1000000 samples."
    case .wrongKind: "A value is of another kind than the block's type."
    case .outOfRange: "A time, device or number is out of a block's range."
    case .unknownFormat: "The block has a format that this version does not know."
    case .corrupt: "The block's bytes contradict themselves."
    }
  }
}
