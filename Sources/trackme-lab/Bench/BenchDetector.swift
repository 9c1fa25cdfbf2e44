import AutomatedSOS
import EventLoop
import Installation
import Operations
import Time

/// `trackme-lab bench detector`: measures the cost of a reading in the detector of AutomatedSOS,
/// for one person and for many people whose detectors exceed the caches, and the memory of the
/// detectors.
enum BenchDetector {
  private static let people = 100_000
  private static let start = Moment(milliseconds: 1_790_000_000_000)

  /// Runs the benchmark and prints a line of JSON.
  ///
  /// - Throws: `StartError` if the machine does not report memory, or after a wrong decision.
  static func run(readings text: String) throws(StartError) {
    guard let readings = Int(text), readings >= people else {
      throw StartError("The number of readings must be at least \(people).")
    }
    let one = try measureOne(readings)
    let before = try residentBytes()
    var detectors = [Detector](repeating: detector(), count: people)
    let many = try measureMany(readings, &detectors)
    let bytes = (try residentBytes() - before) / people
    let critical = try measureEmergencies(&detectors)
    let broken = (try residentBytes() - before) / people
    Terminal.say(
      """
      {"one": \(one), "many": \(many), "emergency": \(critical), "bytes": \(bytes), \
      "bytesBroken": \(broken)}
      """)
  }

  private static func detector() -> Detector {
    Detector(thresholds: Thresholds(age: .eighteen), startingAt: start)
  }

  /// Nanoseconds per reading of one person: one reading a second, none of them critical.
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

  /// One reading every 30 s for each person, in turn.
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

  /// Nanoseconds per reading while every person's heart rate is critical until a hospital is
  /// called.
  private static func measureEmergencies(_ detectors: inout [Detector]) throws(StartError) -> Double
  {
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

  /// Nanoseconds per reading, for readings that cause no decision.
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
      throw StartError("/proc/self/statm does not contain the resident pages.")
    }
    return pages * 4096
  }
}
