import Domain
import JSON

/// Something that Track4Run is told, under its number in the one sequence of Track4Run; numbers are
/// in the order of commits, and some stay unused.
package struct InternalEvent: Sendable, Hashable {
  /// What happened.
  package enum Content: Sendable, Hashable {
    /// Samples of a check-in arrived, in the order of the person's uploads.
    case samples(DataRequestID, [Sample])
    /// A check-in was answered, or can't be any more.
    case answered(DataRequestID, CheckInAnswer)
    /// An accepted check-in is over: nothing more of it comes.
    case ended(DataRequestID, SingleRequest.EndReason)
    /// The person has erased samples of these types, from one time to before another (nil for no
    /// bound): to be erased here as well.
    case erased(DataRequestID, DataTypeSet, from: Timestamp?, to: Timestamp?)
    /// Samples of these types can't come for now, or until a time; the check-in goes on.
    case unavailable(DataRequestID, DataTypeSet, DataUnavailability, until: Timestamp?)
    /// An account was deleted, a person's or an organiser's, whether or not it was in a run.
    case accountDeleted(AccountID)
    /// There is something that Data4Help can't read at present; asked for again, it may be told.
    case unreadable
  }

  /// Its number; that of its last sample for samples.
  package let number: Int64
  /// When it entered the sequence.
  package let enteredAt: Timestamp
  /// What it tells.
  package let content: Content

  /// An event under its number.
  package init(number: Int64, enteredAt: Timestamp, _ content: Content) {
    self.number = number
    self.enteredAt = enteredAt
    self.content = content
  }

  /// The check-in that it tells of, if it is of one.
  package var requestID: DataRequestID? {
    switch content {
    case .samples(let requestID, _), .answered(let requestID, _), .ended(let requestID, _),
      .erased(let requestID, _, from: _, to: _), .unavailable(let requestID, _, _, until: _):
      requestID
    case .accountDeleted, .unreadable: nil
    }
  }

  /// Its name in the stream and its `type`.
  package var name: String {
    switch content {
    case .samples: "data"
    case .answered: "answer"
    case .ended: "ended"
    case .erased: "erased"
    case .unavailable: "unavailable"
    case .accountDeleted: "account"
    case .unreadable: "unreadable"
    }
  }
}

/// What became of the question whether somebody checks in.
package enum CheckInAnswer: Sendable, Hashable {
  /// Accepted, for these types and until then.
  case accepted(DataTypeSet, endsAt: Timestamp)
  /// Declined.
  case declined
  /// Not answered by the start, or taken back before.
  case expired
}

/// Why samples can't come for now; the raw value is the API's `reason`.
package enum DataUnavailability: String, Sendable, Hashable, CaseIterable {
  /// The user has switched the types off.
  case switchedOff = "type switched off"
  /// The user's account is inactive.
  case accountInactive = "account inactive"
  /// The user has paused the collection.
  case paused = "collection paused"
}

/// Events behind a number.
package struct InternalEventPage: Sendable, Hashable, JSONReadable {
  /// In the order of their numbers.
  package let events: [InternalEvent]
  /// How many there are besides that cannot be read: of a type, say, that is newer than the reader.
  package let unreadableCount: Int
  /// The number to go on behind.
  package let next: Int64
  /// Whether there may be more already.
  package let hasMore: Bool

  /// Reads the answer of `InternalPath.events`.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var all: [MaybeEvent]?
    var next: Int64?
    var hasMore: Bool?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "events": all = try reader.list(of: MaybeEvent.self)
      case "next": next = Int64(try reader.integer())
      case "more": hasMore = try reader.boolean()
      default: break
      }
    }
    let found = try reader.mandatory("events", all)
    events = found.compactMap(\.event)
    unreadableCount = found.count - events.count
    self.next = try reader.mandatory("next", next)
    self.hasMore = try reader.mandatory("more", hasMore)
  }
}

/// An event, where it is one.
private struct MaybeEvent: JSONReadable {
  let event: InternalEvent?

  init(from reader: inout JSONReader) throws(JSONError) { event = try reader.ifReadable() }
}
