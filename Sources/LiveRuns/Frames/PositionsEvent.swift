import Domain
import JSON

// A live picture and its changes as the JSON text of an event `positions`. Runners are arrays of
// numbers, not objects, so that a runner who only moves costs about 20 bytes:
//
//   {"number":17,"full":[[412,"Anna",1,4546420,919000,1031,300],…]}
//   {"number":18,"moved":[[412,-3,4,3,1],…],"replaced":[[7,"Bruno",5]],"gone":[9]}
//
// A complete runner has number, name, status (`LiveStatus`) and, if known, the spot: latitude and
// longitude in hundred-thousandths of a degree, metres along the course, seconds since the start. A
// moved runner has the number and the differences of these four.

extension LivePicture: JSONWritable {
  /// Writes the complete picture.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("number", number)
      writer.array("full") { writer in
        for (number, runner) in runners.sorted(by: { $0.key < $1.key }) {
          writer.runner(number, runner)
        }
      }
    }
  }
}

extension LiveChanges: JSONWritable {
  /// Writes the changes; empty lists are left out.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("number", number)
      if !moved.isEmpty {
        writer.array("moved") { writer in
          for move in moved {
            writer.array { writer in
              writer.value(move.runner)
              writer.spot(move.by)
            }
          }
        }
      }
      if !replaced.isEmpty {
        writer.array("replaced") { writer in
          for runner in replaced { writer.runner(runner.runner, runner.with) }
        }
      }
      if !removed.isEmpty {
        writer.array("gone") { writer in for runner in removed { writer.value(runner) } }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func runner(_ number: Int32, _ runner: LiveRunner) {
    array { writer in
      writer.value(number)
      writer.value(runner.name)
      writer.value(runner.status.rawValue)
      if let spot = runner.spot { writer.spot(spot) }
    }
  }

  fileprivate mutating func spot(_ spot: LiveSpot) {
    value(spot.latitudeE5)
    value(spot.longitudeE5)
    value(spot.metres)
    value(spot.second)
  }
}

/// The content of an event `positions`, for clients such as the load tool and tests.
package enum PositionsEvent: Hashable, Sendable, JSONReadable {
  /// A complete picture.
  case full(LivePicture)
  /// The changes since the previous picture.
  case changes(LiveChanges)

  /// The largest number of runners accepted in one event.
  package static let runnersMax = 1_000_000

  /// Reads an event; rejects a runner listed twice.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var number: Int64?
    var full: [LiveChanges.Replaced]?
    var changes = LiveChanges(number: 0)
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "number": number = Int64(try reader.integer())
      case "full": full = try reader.runners()
      case "moved": changes.moved = try reader.moves()
      case "replaced": changes.replaced = try reader.runners()
      case "gone": changes.removed = try reader.numbers()
      default: break
      }
    }
    changes.number = try reader.mandatory("number", number)
    guard let full else {
      self = .changes(changes)
      return
    }
    var picture = LivePicture(number: changes.number)
    for runner in full {
      guard picture.runners.updateValue(runner.with, forKey: runner.runner) == nil else {
        throw reader.refusal("A runner is listed twice in the picture.")
      }
    }
    self = .full(picture)
  }
}

extension JSONReader {
  fileprivate mutating func runners() throws(JSONError) -> [LiveChanges.Replaced] {
    var runners: [LiveChanges.Replaced] = []
    try beginArray(countMax: PositionsEvent.runnersMax)
    while try nextElement() { runners.append(try runner()) }
    return runners
  }

  private mutating func runner() throws(JSONError) -> LiveChanges.Replaced {
    try beginArray()
    let number = try nextNumber()
    try expectElement()
    let name = try string()
    guard let status = LiveStatus(rawValue: try nextNumber()) else {
      throw refusal("A runner has an unknown status.")
    }
    var spot: LiveSpot?
    if try nextElement() {
      spot = try restOfSpot(from: try number32())
      try expectEnd()
    }
    return LiveChanges.Replaced(
      runner: number, with: LiveRunner(name: name, status: status, spot: spot))
  }

  fileprivate mutating func moves() throws(JSONError) -> [LiveChanges.Moved] {
    var moves: [LiveChanges.Moved] = []
    try beginArray(countMax: PositionsEvent.runnersMax)
    while try nextElement() {
      try beginArray()
      let runner = try nextNumber()
      let by = try restOfSpot(from: try nextNumber())
      moves.append(LiveChanges.Moved(runner: runner, by: by))
      try expectEnd()
    }
    return moves
  }

  fileprivate mutating func numbers() throws(JSONError) -> [Int32] {
    var numbers: [Int32] = []
    try beginArray(countMax: PositionsEvent.runnersMax)
    while try nextElement() { numbers.append(try number32()) }
    return numbers
  }

  /// Reads the rest of a spot after the latitude.
  private mutating func restOfSpot(from latitude: Int32) throws(JSONError) -> LiveSpot {
    LiveSpot(
      latitudeE5: latitude, longitudeE5: try nextNumber(), metres: try nextNumber(),
      second: try nextNumber())
  }

  private mutating func nextNumber() throws(JSONError) -> Int32 {
    try expectElement()
    return try number32()
  }

  private mutating func number32() throws(JSONError) -> Int32 {
    guard let number = Int32(exactly: try integer()) else {
      throw refusal("A number of a runner does not fit in 32 bits.")
    }
    return number
  }

  private mutating func expectElement() throws(JSONError) {
    guard try nextElement() else { throw refusal("A runner has too many numbers.") }
  }

  private mutating func expectEnd() throws(JSONError) {
    guard try !nextElement() else { throw refusal("A runner has too few numbers.") }
  }
}
