import Domain

/// The data shared through one check-in: a runner's positions and health data in one run.
package struct CheckInSamples: Sendable {
  /// The largest number of samples that count for a runner in a run, in the order in which they
  /// were stored: positions and heart rates of every second of almost a day and a half.
  package static let countedMax = 250_000

  /// The run.
  package let runID: Int64
  /// The runner's number in it.
  package let number: Int32
  /// The event's number in Track4Run's sequence; numbers are in the order of commits.
  package private(set) var streamSeq: Int64
  /// The samples, in any order, including types and times that are irrelevant to the run.
  package private(set) var samples: [Sample]

  /// The samples of one event of the sequence.
  package init(runID: Int64, number: Int32, streamSeq: Int64, samples: [Sample]) {
    self.runID = runID
    self.number = number
    self.streamSeq = streamSeq
    self.samples = samples
  }

  /// Adds the samples of another event of the same runner, up to `countMax` in total, and adopts
  /// the later number.
  package mutating func join(_ other: Self, countMax: Int = .max) {
    streamSeq = max(streamSeq, other.streamSeq)
    samples += other.samples.prefix(max(0, countMax - samples.count))
  }
}

extension Sample {
  /// The position of the device; nil for other types.
  package var fix: Fix? {
    guard case .position(let position) = value else { return nil }
    return Fix(time: time, position: position)
  }
}
