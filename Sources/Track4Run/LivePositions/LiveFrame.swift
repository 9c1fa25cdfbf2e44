import Domain
import EventLoop
import HTTP
import JSON

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
  /// What of it was asked for as bytes.
  let documents = Documents()

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

extension ServerSentEvent {
  /// Writes a value as the data of an event under a number.
  static func append(
    _ name: String, _ number: Int64, of value: some JSONWritable, to bytes: inout [UInt8]
  ) {
    var writer = JSONWriter()
    writer.value(value)
    append(name, id: number, data: writer.bytes, to: &bytes)
  }
}
