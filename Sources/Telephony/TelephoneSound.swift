import Domain

/// Sound of a telephone's quality: 8000 samples per second, 16 bits, one channel (the limit of
/// ITU-T G.711).
package struct TelephoneSound: Sendable, Equatable {
  /// Samples per second.
  package static let rate = 8000
  /// Silence before the first repetition, while the recipient lifts the receiver to the ear.
  private static let leadSamples = rate / 2
  /// Silence between repetitions: a second.
  private static let pauseSamples = rate

  /// The samples, in steps of 16 bits.
  package let samples: [Int16]

  /// How long it lasts.
  package var duration: Duration { .milliseconds(samples.count * 1000 / Self.rate) }

  /// Converts sound of another rate. Frequencies above 3.6 kHz are removed, since a telephone would
  /// alias them: a sinc filter under a raised cosine over sixteen zero crossings on each side.
  init(_ samples: [Int16], rate: Int) {
    let divisor = Self.divisor(rate, Self.rate)
    let (step, phases) = (rate / divisor, Self.rate / divisor)
    let filters = Self.filters(phases: phases, rate: rate)
    let reach = filters[0].count / 2
    self.samples = (0..<(samples.count * phases / step)).map { index in
      let (place, phase) = (index * step / phases, index * step % phases)
      var sum = 0.0
      for (tap, weight) in filters[phase].enumerated() {
        let source = place + tap - reach + 1
        if samples.indices.contains(source) { sum += weight * Double(samples[source]) }
      }
      return Int16(clamping: Int(sum.rounded()))
    }
  }

  private init(samples: [Int16]) { self.samples = samples }

  /// The sound repeated, with pauses between.
  func repeated(_ count: Int) -> TelephoneSound {
    let pause = [Int16](repeating: 0, count: Self.pauseSamples)
    let lead = [Int16](repeating: 0, count: Self.leadSamples)
    return TelephoneSound(
      samples: lead + Array(repeatElement(samples, count: count).joined(separator: pause)))
  }

  /// From the beginning of the repeated sound to the end of the first repetition.
  var durationWithLead: Duration { duration + .milliseconds(Self.leadSamples * 1000 / Self.rate) }

  /// The sound as a wave file (RIFF, PCM).
  var waveFile: [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let size = 2 * samples.count
    var bytes = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    bytes += little(1, 2) + little(1, 2) + little(Self.rate, 4) + little(2 * Self.rate, 4)
    bytes += little(2, 2) + little(16, 2) + Array("data".utf8) + little(size, 4)
    bytes.reserveCapacity(bytes.count + size)
    for sample in samples { bytes += little(Int(sample), 2) }
    return bytes
  }

  /// One filter for each position of a new sample between two old ones.
  private static func filters(phases: Int, rate: Int) -> [[Double]] {
    let cutoff = min(0.45 * Double(Self.rate) / Double(rate), 0.45)
    let reach = Int(16 / (2 * cutoff)) + 1
    return (0..<phases).map { phase in
      let weights = (0..<(2 * reach)).map { tap in
        let distance = Double(tap - reach + 1) - Double(phase) / Double(phases)
        return sinc(2 * cutoff * distance) * raisedCosine(distance / Double(reach))
      }
      let sum = weights.reduce(0, +)
      return weights.map { $0 / sum }
    }
  }

  private static func sinc(_ place: Double) -> Double {
    guard abs(place) > 1e-9 else { return 1 }
    let folded = place - 2 * (place / 2).rounded()
    return Trigonometry.sine(.pi * folded) / (.pi * place)
  }

  private static func raisedCosine(_ place: Double) -> Double {
    abs(place) >= 1 ? 0 : (1 + Trigonometry.cosine(.pi * place)) / 2
  }

  private static func divisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : divisor(other, one % other)
  }
}
