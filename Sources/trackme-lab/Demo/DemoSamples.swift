import Domain
import Foundation
import Time

/// One invented measurement.
struct DemoSample {
  let type: String
  let value: Double
  let time: Instant
}

/// Sixty days of invented measurements, identical for the same end.
enum DemoSamples {
  static let days: Int64 = 60

  /// Creates hourly heart rates and daily values of the other types, up to the last full hour
  /// before `now`.
  static func make(until now: Instant) -> [DemoSample] {
    let end = now.secondsSince1970 / 3600 * 3600
    var random = DemoRandom()
    var samples: [DemoSample] = []
    for second in stride(from: end - days * 86_400, to: end, by: 3600) {
      let time = Instant(millisecondsSince1970: second * 1000)
      let hour = Double(second / 3600 % 24)
      // Lowest at three in the morning, highest in the afternoon.
      let rhythm = 68 - 9 * cos((hour - 15 + 12) / 24 * 2 * .pi)
      samples.append(
        DemoSample(type: "heartRate", value: (rhythm + random.next(6)).rounded(), time: time))
      if hour == 7 { samples += morning(time, &random) }
      if hour == 20 {
        let steps = 7500 + random.next(3500)
        samples.append(DemoSample(type: "steps", value: steps.rounded(), time: time))
      }
    }
    return samples
  }

  private static func morning(_ time: Instant, _ random: inout DemoRandom) -> [DemoSample] {
    [
      DemoSample(
        type: "bloodPressureSystolic", value: (122 + random.next(9)).rounded(), time: time),
      DemoSample(
        type: "bloodPressureDiastolic", value: (78 + random.next(6)).rounded(), time: time),
      DemoSample(type: "weight", value: ((63 + random.next(0.6)) * 10).rounded() / 10, time: time),
      DemoSample(
        type: "oxygenSaturation", value: (97 + random.next(1)).rounded(), time: time),
    ]
  }
}

/// A deterministic pseudo-random sequence (Knuth's MMIX constants).
struct DemoRandom {
  private var state: UInt64 = 20_260_102

  /// Between `-spread` and `spread`.
  mutating func next(_ spread: Double) -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (Double(state >> 11) / Double(1 << 53) * 2 - 1) * spread
  }
}
