import Domain
import JSON
import Web

/// The state of a followed run at one moment, shared by all clients until the next frame: bytes are
/// encoded once, by the first loop that needs them.
final class LiveFrame: Sendable {
  /// The listed run with its path.
  let row: LiveRunRow
  /// The state of the run.
  let state: RunState
  /// Whether the frame notifies spectators that the run is over.
  let isOver: Bool
  /// The number of spectators.
  let watching: Int
  /// The runners by rank, then those without a rank by number; empty before the start.
  let standings: [LiveStanding]
  /// The picture shown to spectators.
  let picture: LivePicture
  /// The ranks last sent to spectators, by number.
  let ranks: [Int32: Int32]
  /// The number of the picture with which these ranks were sent.
  let ranksNumber: Int64
  /// The run's spectators.
  let spectatorCount: SpectatorCount
  /// The changes from the previous frame to this one, as events; nil for the first frame.
  let changes: [UInt8]?
  /// The forms of the frame encoded so far.
  let documents = Documents()

  /// The shortest interval between two updates of the ranks, in pictures: flickering ranks are
  /// unreadable.
  static let ranksEvery: Int64 = 5

  /// The content of a frame.
  struct Content {
    let row: LiveRunRow
    let state: RunState
    let isOver: Bool
    let watching: Int
    let standings: [LiveStanding]
    let spectatorCount: SpectatorCount
  }

  /// Creates the frame after `before`, or the first one with this number.
  init(_ content: Content, after before: LiveFrame?, firstNumber: Int64) {
    row = content.row
    state = content.state
    isOver = content.isOver
    watching = content.watching
    standings = content.standings
    spectatorCount = content.spectatorCount
    var picture = LivePicture(number: before.map { $0.picture.number + 1 } ?? firstNumber)
    var shownRanks: [Int32: Int32] = [:]
    for standing in standings {
      picture.runners[standing.entry.number] = standing.shown
      shownRanks[standing.entry.number] = standing.shownRank
    }
    self.picture = picture
    guard let before else {
      (ranks, ranksNumber, changes) = (shownRanks, picture.number, nil)
      return
    }
    let isDue =
      isOver || state != before.state
      || picture.number - before.ranksNumber >= Self.ranksEvery
    let isSent = isDue && (shownRanks != before.ranks || watching != before.watching)
    ranks = isSent ? shownRanks : before.ranks
    ranksNumber = isSent ? picture.number : before.ranksNumber
    var bytes: [UInt8] = []
    ServerSentEvent.append(
      "positions", picture.number, of: picture.changes(since: before.picture), to: &bytes)
    if isSent {
      ServerSentEvent.append(
        "placings", picture.number,
        of: PlacingsEvent(
          number: picture.number, watching: watching, from: before.ranks, to: ranks),
        to: &bytes)
    }
    changes = bytes
  }

  /// The number of the picture.
  var number: Int64 { picture.number }

  /// Whether clients would notice a difference.
  func shows(_ content: Content) -> Bool {
    state == content.state && isOver == content.isOver && watching == content.watching
      && row == content.row && standings == content.standings
  }
}

extension ServerSentEvent {
  /// Writes a value as an event with a number.
  static func append(
    _ name: String, _ number: Int64, of value: some JSONWritable, to bytes: inout [UInt8]
  ) {
    var writer = JSONWriter()
    writer.value(value)
    append(name, id: number, data: writer.bytes, to: &bytes)
  }
}
