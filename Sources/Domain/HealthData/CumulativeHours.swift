import Time

/// Avoids double counting where two devices measured the same time (steps, distances, energies).
/// Within an hour the samples of each device are added up, and only those of the device with the
/// larger sum count; if sums are equal, those of the smaller device number.
///
/// By the hour, because phone and watch divide time differently and people carry one or the other.
/// Hours are those of UTC, which equal local hours wherever offsets are whole hours.
package struct CumulativeHours: Sendable {
  private struct Source: Sendable {
    var sum = 0.0
    var samples: [StoredSample] = []
  }

  private var hours: [Int64: [Int32: Source]] = [:]

  /// Creates an empty counter.
  package init() {}

  /// Adds a sample of a cumulative type; samples without a number are ignored.
  package mutating func add(_ sample: StoredSample) {
    guard let number = sample.value.number else { return }
    let milliseconds = sample.time.millisecondsSince1970
    // Rounded down, also before 1970.
    let hour = (milliseconds - (milliseconds % 3_600_000 + 3_600_000) % 3_600_000) / 3_600_000
    hours[hour, default: [:]][sample.device, default: Source()].sum += number
    hours[hour, default: [:]][sample.device, default: Source()].samples.append(sample)
  }

  /// The samples that count, ordered by hour.
  package consuming func counted() -> [StoredSample] {
    hours.sorted { $0.key < $1.key }.flatMap { _, sources in
      let larger = sources.max { ($0.value.sum, -$0.key) < ($1.value.sum, -$1.key) }
      return larger?.value.samples ?? []
    }
  }
}

/// The devices of the samples in blocks: one, or several that may count twice.
package struct SampleSources: Sendable {
  private var device: Int32?

  /// Whether there was more than one device.
  package private(set) var areSeveral = false

  /// Creates an empty set of sources.
  package init() {}

  /// Adds a block's devices without decoding the block.
  ///
  /// Throws `unknownFormat` and `corrupt`.
  package mutating func add(_ block: Span<UInt8>) throws(SampleBlockError) {
    if areSeveral { return }
    guard let sole = try SampleBlock.soleDevice(of: block), sole == device ?? sole else {
      areSeveral = true
      return
    }
    device = sole
  }
}
