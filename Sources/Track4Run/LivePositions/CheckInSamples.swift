import Domain

/// What came of one check-in: a runner's positions and health data in one run.
package struct CheckInSamples: Sendable {
  /// Samples of a runner in a run that count, those that were stored first: positions and heart
  /// rates of every second of almost a day and a half.
  package static let countedMax = 250_000

  /// The run.
  package let runID: Int64
  /// The runner's number in it.
  package let number: Int32
  /// The number of the event in the sequence of Track4Run; numbers are in the order of commits.
  package private(set) var streamSeq: Int64
  /// The samples, in any order; those of types and times that are none of the run's business too.
  package private(set) var samples: [Sample]

  /// What one event of the sequence brought.
  package init(runID: Int64, number: Int32, streamSeq: Int64, samples: [Sample]) {
    self.runID = runID
    self.number = number
    self.streamSeq = streamSeq
    self.samples = samples
  }

  /// Takes the samples of another event of the same runner too, under the later number, up to so
  /// many together.
  mutating func join(_ other: Self, countMax: Int = .max) {
    streamSeq = max(streamSeq, other.streamSeq)
    samples += other.samples.prefix(max(0, countMax - samples.count))
  }
}
