import AutomatedSOS
import EventLoop
import Operations

/// `trackme bench detector`: what a reading costs the detector of AutomatedSOS, for one person and
/// for many whose detectors lie in no cache, and how much memory theirs take.
enum BenchDetector {
  private static let people = 100_000
  private static let start = Moment(milliseconds: 1_790_000_000_000)

  /// Runs it and prints a line of JSON.
  ///
  /// - Throws: `StartError` for a machine that does not tell memory, or a wrong decision.
  static func run(readings text: String) throws(StartError) {
    guard let readings = Int(text), readings >= people else {
      throw StartError("At least \(people) readings are measured.")
    }
    let one = try measureOne(readings)
    let before = try residentBytes()
    var detectors = [Detector](repeating: detector(), count: people)
    let many = try measureMany(readings, &detectors)
    let bytes = (try residentBytes() - before) / people
    let critical = try measureEpisodes(&detectors)
    let broken = (try residentBytes() - before) / people
    Terminal.say(
      """
      {"one": \(one), "many": \(many), "episode": \(critical), "bytes": \(bytes), \
      "bytesBroken": \(broken)}
      """)
  }

  private static func detector() -> Detector {
    Detector(thresholds: Thresholds(age: .eighteen), startingAt: start)
  }

  /// A reading a second of one person, none of them critical: nanoseconds for each.
  private static func measureOne(_ readings: Int) throws(StartError) -> Double {
    var detector = detector()
    return try nanoseconds(for: readings) { () -> Int in
      var decisions = 0
      for second in 1...readings {
        let now = Moment(milliseconds: start.milliseconds + Int64(second) * 1000)
        let reading = Reading(.heartRate(60 + Double(second & 31)), at: now)
        decisions += detector.take(reading, at: now).decisions.count
      }
      return decisions
    }
  }

  /// A reading every 30 s of everybody, one person after the other.
  private static func measureMany(
    _ readings: Int, _ detectors: inout [Detector]
  ) throws(StartError) -> Double {
    let rounds = readings / people
    return try nanoseconds(for: rounds * people) { () -> Int in
      var decisions = 0
      for round in 1...rounds {
        let now = Moment(milliseconds: start.milliseconds + Int64(round) * 30_000)
        let reading = Reading(.heartRate(60 + Double(round & 31)), at: now)
        for place in detectors.indices {
          decisions += detectors[place].take(reading, at: now).decisions.count
        }
      }
      return decisions
    }
  }

  /// Everybody's heart races until a hospital is called: nanoseconds for each of the readings.
  private static func measureEpisodes(_ detectors: inout [Detector]) throws(StartError) -> Double {
    let times = (0..<18).map { Int64($0) * 333 }
    let later = start.milliseconds + 100_000_000_000
    let began = MonotonicClock.now
    var dispatched = 0
    for place in detectors.indices {
      for (count, time) in times.enumerated() {
        let now = Moment(milliseconds: later + time)
        let reading = Reading(.heartRate(Double(130 + count & 3)), at: now)
        for decision in detectors[place].take(reading, at: now).decisions {
          if case .dispatched = decision { dispatched += 1 }
        }
      }
    }
    guard dispatched == detectors.count else {
      throw StartError("\(dispatched) hospitals were called for \(detectors.count) people.")
    }
    return elapsed(since: began) / Double(times.count * detectors.count)
  }

  /// Nanoseconds a reading, of readings about which nothing is to be decided.
  private static func nanoseconds(
    for readings: Int, _ body: () -> Int
  ) throws(StartError) -> Double {
    let began = MonotonicClock.now
    let decisions = body()
    let spent = elapsed(since: began)
    guard decisions == 0 else { throw StartError("\(decisions) decisions about healthy people.") }
    return spent / Double(readings)
  }

  private static func elapsed(since began: MonotonicInstant) -> Double {
    Double(MonotonicClock.now.nanoseconds - began.nanoseconds)
  }

  private static func residentBytes() throws(StartError) -> Int {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.read("/proc/self/statm", bytesMax: 4096)
    } catch {
      throw StartError("/proc/self/statm can't be read", error)
    }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else {
      throw StartError("/proc/self/statm does not tell the resident pages.")
    }
    return pages * 4096
  }
}
