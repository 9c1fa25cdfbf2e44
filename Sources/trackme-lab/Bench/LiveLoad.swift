import Domain
import EventLoop
import JSON
import LiveRuns
import Postgres
import Runs
import ServiceKit
import Time

/// The runners and spectators of `trackme-lab bench live`. Confined to its loop.
final class LiveLoad {
  /// Slices of a second; the positions of the runners are spread evenly over them.
  static let parts = 10
  /// How many streams are opened every ten milliseconds.
  static let openAtOnce = 10
  /// A road of some forty kilometres.
  static let road = [(45.4642, 9.19), (45.5242, 9.25), (45.5842, 9.19), (45.6442, 9.25)]

  private let order: BenchLive.Order
  private let loop: EventLoop
  private let database: Database
  private let runData: RunData
  private var spectators: [SpectatorClient] = []
  /// The time at which the position of each runner and second was stored.
  private var storedAt: [[MonotonicInstant]]
  private var number: Int64
  private let startsAt: Instant
  /// The age of the run when the load began, in whole seconds.
  private let base: Int

  init(_ order: BenchLive.Order, on loop: EventLoop) {
    self.order = order
    self.loop = loop
    database = Database(
      DatabaseSettings(url: order.databaseURL, applicationName: "bench"), on: loop)
    runData = RunData(root: order.root, on: loop)
    storedAt = Array(
      repeating: Array(repeating: .never, count: order.seconds + order.spectators / 100 + 60),
      count: order.runners + 1)
    let now = Instant.system
    number = now.microsecondsSince1970
    startsAt = Instant(millisecondsSince1970: order.start * 1000)
    base = Int(now.flooredToMilliseconds.seconds(since: startsAt))
  }

  /// Runs the benchmark and returns the figures as JSON.
  func run() async -> String {
    for place in 0..<order.spectators {
      spectators.append(SpectatorClient(order.port, order.runID, keepsText: place == 0, on: loop))
      if place % Self.openAtOnce == 0 { await rest(.milliseconds(10)) }
    }
    guard let course = Self.course else { return "{\"error\":\"the road is invalid\"}" }
    let runners = (1...Int32(order.runners)).map { SimulatedRunner(number: $0) }
    let begun = loop.now
    for step in 0..<order.seconds * Self.parts {
      let due = begun + .milliseconds(1000 / Self.parts) * step
      if due > loop.now { await rest(due - loop.now) }
      guard await store(step, runners, on: course) else { return "{\"error\":\"not stored\"}" }
    }
    await rest(.seconds(3))
    return figures()
  }

  /// The road as the course of the run; nil if it is invalid.
  private static var course: Course? {
    var points: [GeoPoint] = []
    for (latitude, longitude) in road {
      guard let point = try? GeoPoint(latitude: latitude, longitude: longitude) else { return nil }
      points.append(point)
    }
    return (try? RunPath(points)).map { Course($0) }
  }

  private func rest(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      _ = loop.schedule(after: duration) { continuation.resume() }
    }
  }

  private func store(_ step: Int, _ runners: [SimulatedRunner], on course: Course) async -> Bool {
    var arrived: [CheckInSamples] = []
    let time = Instant.system.flooredToMilliseconds
    let since = time.seconds(since: startsAt)
    for index in stride(from: step % Self.parts, to: runners.count, by: Self.parts) {
      number += 1
      let position = runners[index].position(after: since, on: course)
      arrived.append(
        CheckInSamples(
          runID: order.runID, number: Int32(index) + 1, streamSeq: number,
          samples: [Sample(stored: .position, time: time, value: .position(position))]))
      storedAt[index + 1][Int(since) - base] = loop.now
    }
    do throws(ApplicationError) {
      try await database.transaction { [runData] (transaction) throws(ApplicationError) in
        try await runData.store(arrived, in: transaction)
      }
      return true
    } catch {
      return false
    }
  }

  // MARK: Figures

  /// The storage times of the positions by event number, from the events that one spectator kept,
  /// with the number of positions and their bytes. Nil if an event is malformed.
  private func events() -> (storedAt: [Int64: [MonotonicInstant]], moved: Int, bytes: Int)? {
    var stored: [Int64: [MonotonicInstant]] = [:]
    var (moved, bytes) = (0, 0)
    var seconds: [Int32: Int32] = [:]
    for text in spectators.first?.texts ?? [] {
      guard let event = try? JSONReader.read(PositionsEvent.self, from: text) else {
        return nil
      }
      switch event {
      case .full(let picture):
        for (runner, shown) in picture.runners { seconds[runner] = shown.spot?.second }
      case .changes(let changes):
        var times: [MonotonicInstant] = []
        for move in changes.moved {
          let second = (seconds[move.runner] ?? 0) + move.by.second
          seconds[move.runner] = second
          times.append(time(of: move.runner, second))
        }
        for replaced in changes.replaced {
          seconds[replaced.runner] = replaced.with.spot?.second
        }
        stored[changes.number] = times.filter { $0 != .never }
        moved += changes.moved.count
        bytes += changes.moved.isEmpty ? 0 : text.count
      }
    }
    return (stored, moved, bytes)
  }

  private func time(of runner: Int32, _ second: Int32) -> MonotonicInstant {
    let times = storedAt[Int(runner)]
    let index = Int(second) - base
    return times.indices.contains(index) ? times[index] : .never
  }

  private func figures() -> String {
    guard let (stored, moved, bytes) = events() else {
      return "{\"error\":\"an event is malformed\"}"
    }
    var ages: [Double] = []
    for spectator in spectators {
      for (number, arrival) in spectator.arrivals {
        for time in stored[number] ?? [] { ages.append((arrival - time) / .milliseconds(1)) }
      }
      if ages.count > 20_000_000 { break }
    }
    ages.sort()
    let total = spectators.reduce(0) { $0 + $1.bytes }
    let lost = spectators.count { $0.isLost || $0.arrivals.isEmpty }
    return """
      {"positions":\(moved),"bytesPerRunner":\(Double(bytes) / Double(max(moved, 1))),\
      "bytesPerSpectatorSecond":\(Double(total) / Double(order.spectators * order.seconds)),\
      "p50":\(ages.part(0.5)),"p99":\(ages.part(0.99)),"max":\(ages.last ?? 0),\
      "lost":\(lost)}
      """
  }
}
