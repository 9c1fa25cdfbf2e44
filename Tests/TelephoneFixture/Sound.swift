import Foundation
import Support

/// Telephone audio with 8000 samples a second.
package struct Sound: Sendable {
  package let samples: [Double]

  package var seconds: Double { Double(samples.count) / 8000 }

  /// Decodes G.711 mu-law (ITU-T G.711, table 2a), one byte per sample.
  package init(muLaw bytes: Data) {
    samples = bytes.map { byte in
      let code = ~byte
      let magnitude = ((Int(code & 0x0F) << 3) + 0x84) << (Int(code & 0x70) >> 4)
      return Double(code & 0x80 == 0 ? magnitude - 0x84 : 0x84 - magnitude)
    }
  }

  /// The output of espeak-ng, run here independently of the tested code.
  ///
  /// - Parameter pace: words per minute.
  package init(saying sentence: String, voice: String, pace: Int) async throws {
    let program = Program(command: [
      "espeak-ng", "-v", voice, "-b", "1", "-s", "\(pace)", "--stdout", sentence,
    ])
    let file = [UInt8](try await program.run().bytes)
    let rate = Double(Int(file[24]) | Int(file[25]) << 8)
    let spoken = stride(from: 44, to: file.count - 1, by: 2).map { place in
      Double(Int16(truncatingIfNeeded: Int(file[place]) | Int(file[place + 1]) << 8))
    }
    let count = Int(Double(spoken.count) / rate * 8000)
    samples = (0..<max(0, count - 1)).map { index in
      let place = Double(index) * rate / 8000
      let (first, part) = (Int(place), place - place.rounded(.down))
      return spoken[first] * (1 - part) + spoken[min(first + 1, spoken.count - 1)] * part
    }
  }

  /// The similarity of a part of this sound to another one: their greatest correlation, from -1 to
  /// 1, if the other begins within `reach` seconds of `start`.
  package func likeness(to other: Sound, at start: Double, within reach: Double = 0.6) -> Double {
    // One second from the middle finds the offset; then the whole sound is compared at that offset.
    let part = Array(other.samples[(other.samples.count / 2 - 4000)..<(other.samples.count / 2)])
    let offset = other.samples.count / 2 - 4000
    let first = max(0, Int((start - reach) * 8000))
    let places = first...max(first, Int((start + reach) * 8000))
    let best = places.max {
      correlation(with: part, at: $0 + offset) < correlation(with: part, at: $1 + offset)
    }
    return (-2...2).map { correlation(with: other.samples, at: (best ?? 0) + $0) }.max() ?? 0
  }

  private func correlation(with other: [Double], at start: Int) -> Double {
    guard start >= 0, start + other.count <= samples.count + 800 else { return -1 }
    var (product, own, its) = (0.0, 0.0, 0.0)
    for (index, value) in other.enumerated() where start + index < samples.count {
      let heard = samples[start + index]
      product += heard * value
      own += heard * heard
      its += value * value
    }
    return own == 0 || its == 0 ? 0 : product / (own * its).squareRoot()
  }
}
