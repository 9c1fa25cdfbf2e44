import Domain
import EventLoop
import HTTP
import JSON
import Synchronization

/// A followed run at one moment, as everybody gets it until the next: the bytes are made once,
/// whoever asks first, on whatever loop.
final class LiveFrame: Sendable {
  /// The run as it is listed, with its path.
  let row: LiveRunRow
  /// Where the run stands.
  let state: RunState
  /// Whether everybody who watches is told that it is over.
  let isOver: Bool
  /// How many are watching.
  let watching: Int
  /// The runners by place, those without one behind by number; none before the start.
  let standings: [LiveStanding]
  /// What spectators see.
  let picture: LivePicture
  /// The places that spectators last heard of, by number.
  let places: [Int32: Int32]
  /// The number of the picture with which they heard of them.
  let placesNumber: Int64
  /// Who looks.
  let audience: LiveAudience
  /// What leads from the frame before to this one, as events; nil of the first one.
  let changes: [UInt8]?
  private let whole = OnceBytes()
  private let polled = OnceBytes()
  private let placings = OnceBytes()
  private let organiserView = OnceBytes()
  private let coOrganiserView = OnceBytes()
  private let path = OnceBytes()

  /// How often places are told at most: they are of use when read, not when they flicker.
  static let placesEvery: Int64 = 5

  /// What a frame is made of.
  struct Content {
    let row: LiveRunRow
    let state: RunState
    let isOver: Bool
    let watching: Int
    let standings: [LiveStanding]
    let audience: LiveAudience
  }

  /// The frame after `before`, or the first one under this number.
  init(_ content: Content, after before: LiveFrame?, firstNumber: Int64) {
    row = content.row
    state = content.state
    isOver = content.isOver
    watching = content.watching
    standings = content.standings
    audience = content.audience
    var picture = LivePicture(number: before.map { $0.picture.number + 1 } ?? firstNumber)
    var shownPlaces: [Int32: Int32] = [:]
    for standing in standings {
      picture.runners[standing.entry.number] = standing.shown
      shownPlaces[standing.entry.number] = standing.shownPlace
    }
    self.picture = picture
    guard let before else {
      (places, placesNumber, changes) = (shownPlaces, picture.number, nil)
      return
    }
    let isDue =
      isOver || state != before.state
      || picture.number - before.placesNumber >= Self.placesEvery
    let tells = isDue && (shownPlaces != before.places || watching != before.watching)
    places = tells ? shownPlaces : before.places
    placesNumber = tells ? picture.number : before.placesNumber
    var bytes: [UInt8] = []
    ServerSentEvent.append(
      "positions", picture.number, of: picture.changes(since: before.picture), to: &bytes)
    if tells {
      ServerSentEvent.append(
        "placings", picture.number,
        of: PlacingsEvent(
          number: picture.number, watching: watching, from: before.places, to: places),
        to: &bytes)
    }
    changes = bytes
  }

  /// The number of the picture.
  var number: Int64 { picture.number }

  /// Whether somebody would see a difference.
  func shows(_ content: Content) -> Bool {
    state == content.state && isOver == content.isOver && watching == content.watching
      && row == content.row && standings == content.standings
  }
}

// MARK: As bytes

extension LiveFrame {
  /// Picture and placings as a whole, as events: what every stream begins with.
  var wholeEvents: [UInt8] {
    whole.value {
      var bytes: [UInt8] = []
      ServerSentEvent.append("positions", number, of: picture, to: &bytes)
      ServerSentEvent.append(
        "placings", number,
        of: PlacingsEvent(number: number, watching: watching, from: nil, to: places), to: &bytes)
      return bytes
    }
  }

  /// The event that tells of the end (RUN-11). Who reads it need not come back.
  var endedEvent: [UInt8] {
    var bytes = Array("retry: 3600000\n".utf8)
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("runID", row.runID)
      writer.field("state", RunState.ended.rawValue)
    }
    ServerSentEvent.append("ended", id: number, data: writer.bytes, to: &bytes)
    return bytes
  }

  /// The standings in an order that does not tell the place of who has paused (RUN-12).
  private var forSpectators: [LiveStanding] {
    standings.filter { $0.status != .paused }
      + standings.filter { $0.status == .paused }.sorted { $0.entry.number < $1.entry.number }
  }

  /// The answer to who polls (R52).
  var update: [UInt8] {
    polled.value {
      Self.document(of: forSpectators, in: self) { $1.write(to: &$0, for: .spectator) }
    }
  }

  /// The answer to who follows some alone; what each is called is how they were asked for.
  func update(of chosen: [(standing: LiveStanding, name: String?)]) -> [UInt8] {
    Self.document(of: chosen, in: self) {
      $1.standing.write(to: &$0, for: .spectator, name: $1.name)
    }
  }

  /// The placings (RUN-5).
  var placingsDocument: [UInt8] {
    placings.value {
      var writer = JSONWriter()
      writer.object { writer in
        writeHead(to: &writer)
        writer.array("placings") { writer in
          for standing in standings where standing.shownPlace != nil {
            standing.write(to: &writer, for: .spectator)
          }
        }
      }
      return writer.bytes
    }
  }

  /// What the organiser sees, or who organises along (RUN-8).
  func organiserDocument(withHealth: Bool) -> [UInt8] {
    (withHealth ? organiserView : coOrganiserView).value {
      Self.document(of: standings, in: self) {
        $1.write(to: &$0, for: withHealth ? .organiser : .coOrganiser)
      }
    }
  }

  /// The points of the path as a JSON array.
  var pathPoints: [UInt8] {
    path.value {
      var writer = JSONWriter(capacity: 48 * row.path.path.points.count)
      writer.array { writer in
        for point in row.path.path.points {
          writer.object { $0.field("coordinate", point.text) }
        }
      }
      return writer.bytes
    }
  }

  private static func document<Element>(
    of elements: [Element], in frame: LiveFrame,
    _ write: (inout JSONWriter, Element) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 256 + 200 * elements.count)
    writer.object { writer in
      frame.writeHead(to: &writer)
      writer.array("runners") { writer in
        for element in elements { write(&writer, element) }
      }
    }
    return writer.bytes
  }

  private func writeHead(to writer: inout JSONWriter) {
    writer.field("runID", row.runID)
    writer.field("state", state.rawValue)
    writer.field("watching", watching)
  }
}

/// Bytes that are made when they are first asked for.
private final class OnceBytes: Sendable {
  private let made = Mutex<[UInt8]?>(nil)

  func value(_ make: () -> [UInt8]) -> [UInt8] {
    made.withLock { made in
      if let made { return made }
      let bytes = make()
      made = bytes
      return bytes
    }
  }
}

extension ServerSentEvent {
  fileprivate static func append(
    _ name: String, _ number: Int64, of value: some JSONWritable, to bytes: inout [UInt8]
  ) {
    var writer = JSONWriter()
    writer.value(value)
    append(name, id: number, data: writer.bytes, to: &bytes)
  }
}
