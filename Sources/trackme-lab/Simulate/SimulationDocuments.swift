import Domain
import JSON
import Time

/// The measurements of a runner's device at one time.
struct SimulatedFix {
  let position: GeoPoint
  let time: Instant
  /// Beats per minute.
  let rate: Int

  /// A heart rate that rises for two minutes to a level that depends on the name.
  static func rate(of name: String, after second: Int64) -> Int {
    let own = name.utf8.reduce(0) { ($0 + Int($1)) % 30 }
    return 95 + (50 + own) * Int(min(second, 120)) / 120 + Int(second % 7)
  }
}

/// The JSON documents sent by a simulated run.
enum SimulationDocuments {
  /// The device description of every runner.
  static var device: [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("name", "Simulated watch")
      $0.field("model", "trackme-lab simulate")
      $0.field("types", ["position", "heartRate"])
    }
    return writer.bytes
  }

  /// A person's acceptance of the device that shows a code; it may replace a former device.
  static func confirming(_ code: String, replacing former: String?) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("code", code)
      $0.field("accept", true)
      $0.fieldIfPresent("replaces", former)
    }
    return writer.bytes
  }

  static func terms(_ start: Instant, _ end: Instant, _ runners: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("runName", "Simulated run")
      $0.field("description", "A simulated run.")
      $0.field("startTime", start.description)
      $0.field("endTime", end.description)
      $0.field("participants", runners)
    }
    return writer.bytes
  }

  /// A document with the number of a run.
  static func named(_ runID: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { $0.field("runID", runID) }
    return writer.bytes
  }

  static func path(_ runID: Int, _ path: RunPath) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("runID", runID)
      $0.array("path") { writer in
        for point in path.points { writer.object { $0.field("coordinate", point.text) } }
      }
    }
    return writer.bytes
  }

  static func joining(_ runID: Int, as name: String, _ showsHealth: Bool) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("runID", runID)
      $0.field("runnerName", name)
      $0.field("showHealth", showsHealth)
    }
    return writer.bytes
  }

  /// A position and a heart rate for each time.
  static func upload(_ fixes: [SimulatedFix]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.array("dataTypes") {
        for _ in fixes { $0.value("position") }
        for _ in fixes { $0.value("heartRate") }
      }
      $0.array("values") {
        for fix in fixes { $0.value(fix.position.text) }
        for fix in fixes { $0.value(fix.rate) }
      }
      $0.array("timestamp") {
        for fix in fixes { $0.value(fix.time.description) }
        for fix in fixes { $0.value(fix.time.description) }
      }
    }
    return writer.bytes
  }
}
