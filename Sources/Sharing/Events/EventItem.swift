import Accounts
import Domain
import JSON
import ServiceKit
import Time

/// An event of a sequence as it is sent: one JSON object for all transports. Third parties receive
/// the form of the Standard Webhooks specification, plus its number.
package struct EventItem: Sendable {
  /// The last number that it covers.
  let number: Int64
  /// The name of the event in a stream.
  let name: String
  /// The time at which its content entered the sequence.
  let enteredAt: Instant
  /// The JSON object.
  let document: [UInt8]
  /// Identifies the message over all transports; nil if its number does.
  package var messageID: String?

  /// Samples that were sent together.
  init(_ samples: [DeliveredSample], of entry: EventRow, upTo number: Int64) {
    self.init(entry, number, name: "data", type: "data.created") { writer in
      writer.array("samples") { writer in
        for sample in samples { sample.write(to: &writer) }
      }
    }
  }

  /// An entry about a request for its third party; nil for an entry of samples.
  init?(_ entry: EventRow, _ request: SingleRequestRow) {
    switch entry.kind {
    case .data, .accountDeleted, .emergencyCalled, .emergencyClosed: return nil
    case .answered:
      self.init(entry, entry.lastNumber, name: "answer", type: "request.answered") { writer in
        writer.field("status", Self.status(entry).rawValue)
        writer.fieldIfPresent("reason", Self.endReason(entry))
        if entry.status == .accepted {
          writer.field("acceptedTypes", request.acceptedTypes?.map(\.name) ?? [])
          writer.fieldIfPresent("endsAt", request.endsAt?.description)
        }
      }
    case .ended:
      self.init(entry, entry.lastNumber, name: "ended", type: "request.ended") { writer in
        writer.fieldIfPresent("reason", Self.endReason(entry))
      }
    case .erased:
      self.init(entry, entry.lastNumber, name: "erased", type: "data.erased") { writer in
        writer.field("dataTypes", entry.types.map(\.name))
        writer.field("from", Self.time(entry.fromTime))
        writer.field("to", Self.time(entry.toTime))
      }
    case .unavailable:
      self.init(entry, entry.lastNumber, name: "unavailable", type: "data.unavailable") { writer in
        writer.field("dataTypes", entry.types.map(\.name))
        writer.fieldIfPresent("reason", entry.reason.flatMap(UnavailableReason.init)?.apiName)
        writer.fieldIfPresent("until", Self.time(entry.toTime))
      }
    }
  }

  /// An item of its parts.
  package init(number: Int64, name: String, enteredAt: Instant, document: [UInt8]) {
    self.number = number
    self.name = name
    self.enteredAt = enteredAt
    self.document = document
  }

  private init(
    _ entry: EventRow, _ number: Int64, name: String, type: String,
    _ data: (inout JSONWriter) -> Void
  ) {
    self.number = number
    enteredAt = entry.enteredAt
    self.name = name
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("seq", number)
      writer.field("type", type)
      writer.field("timestamp", entry.enteredAt.description)
      writer.object("data") { writer in
        writer.field("reqID", entry.requestID.description)
        data(&writer)
      }
    }
    document = writer.bytes
  }

  /// How long ago it entered the sequence.
  func age(at now: Instant) -> Duration {
    .microseconds(now.microsecondsSince1970 - enteredAt.microsecondsSince1970)
  }

  private static func status(_ entry: EventRow) -> SingleRequestStatus {
    switch entry.status {
    case .accepted: .accepted
    case .declined: .declined
    case .expired: .expired
    case .ended: .ended
    case .paymentDue: .paymentDue
    case .pending, nil: .pending
    }
  }

  private static func endReason(_ entry: EventRow) -> String? {
    entry.reason.flatMap(StoredEndReason.init)?.reason.rawValue
  }

  private static func time(_ milliseconds: Int64?) -> String? {
    milliseconds.map { Instant(millisecondsSince1970: $0).description }
  }
}
