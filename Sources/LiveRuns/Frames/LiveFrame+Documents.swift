import Domain
import JSON
import Runs
import Synchronization
import Web

// The encoded forms of a frame, shared by all clients.
extension LiveFrame {
  /// The encoded bytes, by purpose.
  struct Documents: Sendable {
    fileprivate let whole = OnceBytes()
    fileprivate let polled = OnceBytes()
    fileprivate let placings = OnceBytes()
    fileprivate let organiserView = OnceBytes()
    fileprivate let coOrganiserView = OnceBytes()
    fileprivate let path = OnceBytes()
  }

  /// The complete picture and placings as events: the beginning of every stream.
  var wholeEvents: [UInt8] {
    documents.whole.value {
      var bytes: [UInt8] = []
      ServerSentEvent.append("positions", number, of: picture, to: &bytes)
      ServerSentEvent.append(
        "placings", number,
        of: PlacingsEvent(number: number, watching: watching, from: nil, to: ranks), to: &bytes)
      return bytes
    }
  }

  /// The event that announces the end of the run (RUN-11); clients do not reconnect after it.
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

  /// The standings in an order that does not disclose the rank of paused runners (RUN-12).
  var forSpectators: [LiveStanding] {
    standings.filter { $0.status != .paused }
      + standings.filter { $0.status == .paused }.sorted { $0.entry.number < $1.entry.number }
  }

  /// The answer to a polling client (R52).
  var update: [UInt8] {
    documents.polled.value {
      Self.document(of: forSpectators, in: self) { $1.write(to: &$0, for: .spectator) }
    }
  }

  /// The answer about selected runners; each has the name by which it was searched.
  func update(of chosen: [(standing: LiveStanding, name: String?)]) -> [UInt8] {
    Self.document(of: chosen, in: self) {
      $1.standing.write(to: &$0, for: .spectator, name: $1.name)
    }
  }

  /// The placings (RUN-5).
  var placingsDocument: [UInt8] {
    documents.placings.value {
      var writer = JSONWriter()
      writer.object { writer in
        writeHead(to: &writer)
        writer.array("placings") { writer in
          for standing in standings where standing.shownRank != nil {
            standing.write(to: &writer, for: .spectator)
          }
        }
      }
      return writer.bytes
    }
  }

  /// The view of the organiser and co-organisers (RUN-8).
  func organiserDocument(withHealth: Bool) -> [UInt8] {
    (withHealth ? documents.organiserView : documents.coOrganiserView).value {
      Self.document(of: standings, in: self) {
        $1.write(to: &$0, for: withHealth ? .organiser : .coOrganiser)
      }
    }
  }

  /// The points of the path as a JSON array.
  var pathPoints: [UInt8] {
    documents.path.value {
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

/// Bytes that are encoded on first use.
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
