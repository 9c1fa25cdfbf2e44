import Bytes

/// A simulated runner: runs a course at a slightly varying speed, with fixes like a phone's, some
/// metres off the line.
///
/// The same runner is always at the same position at the same time.
package struct SimulatedRunner: Sendable {
  /// The mean speed in metres a second.
  package let speed: Double
  /// The seconds after the start of the run at which the runner crosses the line.
  package let startsAfter: Double
  private let wave: Wave
  private let seed: UInt64

  /// The largest distance of the fixes from the line, in metres.
  package static let noiseMax = 4.0

  /// Creates a runner; runners with different numbers differ.
  package init(number: Int32, seed: UInt64 = 0) {
    self.seed = seed &+ UInt64(UInt32(bitPattern: number)) &* SplitMix64.increment
    var random = SplitMix64(seed: self.seed)
    // From 4:10 to 6:40 a kilometre.
    speed = 2.5 + 1.5 * random.nextShare()
    startsAfter = 20 * random.nextShare()
    wave = Wave(seconds: 120 + 240 * random.nextShare(), share: 0.15 * random.nextShare())
  }

  /// The runner's distance on a course of this length after this many seconds from the start of the
  /// run, in metres.
  package func metres(after seconds: Double, length: Double) -> Double {
    let running = max(seconds - startsAfter, 0)
    return min(speed * (running + wave.lead(after: running)), length)
  }

  /// The seconds from the start of the run until this distance is run, to a second.
  package func seconds(toRun length: Double) -> Double {
    var seconds = 0.0
    while metres(after: seconds, length: length) < length { seconds += 1 }
    return seconds
  }

  /// The position reported by the runner's device this many seconds after the start of the run.
  package func position(after seconds: Double, on course: Course) -> GeoPoint {
    let metres = metres(after: seconds, length: course.length)
    let place = EarthPoint(course.position(at: metres))
    guard metres < course.length else { return place.position }
    var random = SplitMix64(seed: seed ^ UInt64(bitPattern: Int64(seconds * 1000)))
    var noise = EarthPoint(x: 0, y: 0, z: 0)
    noise.x = random.nextShare() - 0.5
    noise.y = random.nextShare() - 0.5
    noise.z = random.nextShare() - 0.5
    return (place + Self.noiseMax * noise).position
  }
}

/// A relative variation of speed.
private struct Wave: Sendable {
  /// The period in seconds.
  let seconds: Double
  /// The amplitude as a share of the speed.
  let share: Double

  /// The seconds gained or lost by the variation.
  func lead(after elapsed: Double) -> Double {
    let angle = (elapsed / seconds - (elapsed / seconds).rounded(.down)) * 2 * .pi - .pi
    return share * seconds / (2 * .pi) * Trigonometry.sine(angle)
  }
}
