/// Counts what two devices measured over the same time once (steps, distances, energies): within an
/// hour the samples of each device are added up, and only those of the device with the larger sum
/// count; of equal ones those of the smaller device number.
///
/// By the hour, since phone and watch cut their stretches differently, and people carry now one and
/// now the other; hours are those of UTC, which are ours wherever offsets are whole hours.
package struct CumulativeHours: Sendable {
  private struct Source: Sendable {
    var sum = 0.0
    var samples: [StoredSample] = []
  }

  private var hours: [Int64: [Int32: Source]] = [:]

  /// Nothing yet.
  package init() {}

  /// Takes a sample of a type that adds up; others of no number are left out.
  package mutating func add(_ sample: StoredSample) {
    guard let number = sample.value.number else { return }
    let milliseconds = sample.time.millisecondsSince1970
    // Rounded down, also before 1970.
    let hour = (milliseconds - (milliseconds % 3_600_000 + 3_600_000) % 3_600_000) / 3_600_000
    hours[hour, default: [:]][sample.device, default: Source()].sum += number
    hours[hour, default: [:]][sample.device, default: Source()].samples.append(sample)
  }

  /// The samples that count, hour by hour, the oldest hour first.
  package consuming func counted() -> [StoredSample] {
    hours.sorted { $0.key < $1.key }.flatMap { _, sources in
      let larger = sources.max { ($0.value.sum, -$0.key) < ($1.value.sum, -$1.key) }
      return larger?.value.samples ?? []
    }
  }
}

/// Which devices the samples of blocks come from: one, or several that may count twice.
package struct SampleSources: Sendable {
  private var device: Int32?

  /// Whether there was more than one device.
  package private(set) var areSeveral = false

  /// No block yet.
  package init() {}

  /// Takes a block in: looks at its devices without decoding it.
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
