import JSON
import Runs

/// Reads the API's responses for a simulated run; a malformed response counts as empty.
enum SimulationAnswers {
  static func runID(in answer: [UInt8]) -> Int? {
    member("runID", of: answer)
  }

  /// The identifiers of devices.
  static func devices(in answer: [UInt8]) -> [String] {
    let devices: [PairedDevice]? = member("devices", of: answer)
    return (devices ?? []).map(\.deviceID)
  }

  /// The check-in requests that await an answer.
  static func checkIns(in answer: [UInt8]) -> [String] {
    let requests: [ReceivedRequest]? = member("requests", of: answer)
    return (requests ?? []).filter { $0.kind == "check-in" && $0.status == "pending" }.map(\.reqID)
  }

  /// The runs of a runner that are neither over nor cancelled.
  static func runsNotOver(in answer: [UInt8]) -> [Int] {
    let runs: [JoinedRun]? = member("runs", of: answer)
    return (runs ?? []).filter { $0.state != "ended" && !$0.isCancelled }.map(\.runID)
  }

  /// The final results of all runners; nil while they may still change.
  static func finalResults(in answer: [UInt8]) -> [SimulatedResult]? {
    guard member("final", of: answer) == true else { return nil }
    return member("runners", of: answer)
  }

  private static func member<Value: JSONReadable>(
    _ name: StaticString, of answer: [UInt8]
  ) -> Value? {
    do throws(JSONError) {
      var reader = JSONReader(answer)
      return try reader.object(with: name, Value.self)
    } catch {
      return nil
    }
  }
}

/// A runner's rank and time.
struct SimulatedResult: JSONReadable {
  private var name = ""
  private var status = ""
  private var place: Int?
  private var metres: Double?
  private var seconds: Double?

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "runnerName": name = try reader.string()
      case "status": status = try reader.string()
      case "place": place = try reader.value()
      case "distance": metres = try reader.value()
      case "seconds": seconds = try reader.value()
      default: break
      }
    }
  }

  /// For example `1. Anna, 498 m in 2:24 (finished)`.
  var line: String {
    let rank = place.map { "\($0). " } ?? ""
    let way = metres.map { ", \(Int($0)) m" } ?? ""
    let time = seconds.map { " in \(Int($0) / 60):\(Int($0) % 60 < 10 ? "0" : "")\(Int($0) % 60)" }
    return "\(rank)\(name)\(way)\(time ?? "") (\(status))"
  }
}

private struct PairedDevice: JSONReadable {
  let deviceID: String

  init(from reader: inout JSONReader) throws(JSONError) {
    deviceID = try reader.object(with: "deviceID")
  }
}

private struct ReceivedRequest: JSONReadable {
  private(set) var reqID = ""
  private(set) var kind = ""
  private(set) var status = ""

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID": reqID = try reader.string()
      case "kind": kind = try reader.string()
      case "status": status = try reader.string()
      default: break
      }
    }
  }
}

private struct JoinedRun: JSONReadable {
  private(set) var runID = 0
  private(set) var state = ""
  private(set) var isCancelled = false

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "runID": runID = try reader.integer()
      case "state": state = try reader.string()
      case "cancelled": isCancelled = try reader.boolean()
      default: break
      }
    }
  }
}
