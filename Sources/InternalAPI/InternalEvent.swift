import Domain
import JSON
import Time

/// An event for Track4Run, under its number in Track4Run's one sequence; numbers are in the order
/// of commits, and some stay unused.
package struct InternalEvent: Sendable, Hashable {
  /// The content of an event.
  package enum Content: Sendable, Hashable {
    /// Samples of a check-in arrived, in the order of the person's uploads.
    case samples(DataRequestID, [Sample])
    /// A check-in was answered, or can't be answered from now on.
    case answered(DataRequestID, CheckInAnswer)
    /// An accepted check-in is over: no further samples follow.
    case ended(DataRequestID, SingleRequest.EndReason)
    /// The person has erased samples of these types, from one time to before another (nil for no
    /// bound); the receiver erases them too.
    case erased(DataRequestID, DataTypeSet, from: Instant?, to: Instant?)
    /// Samples of these types are unavailable for now, or until a time; the check-in continues.
    case unavailable(DataRequestID, DataTypeSet, DataUnavailability, until: Instant?)
    /// An account of a person or an organiser was deleted, whether or not it was in a run.
    case accountDeleted(AccountID)
    /// An event that Data4Help can't read at present; a later query may return it.
    case unreadable
  }

  /// Its number; that of its last sample for samples.
  package let number: Int64
  /// When it entered the sequence.
  package let enteredAt: Instant
  /// Its content.
  package let content: Content

  /// An event under its number.
  package init(number: Int64, enteredAt: Instant, _ content: Content) {
    self.number = number
    self.enteredAt = enteredAt
    self.content = content
  }

  /// The check-in that it concerns, if any.
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

/// The outcome of a check-in request.
package enum CheckInAnswer: Sendable, Hashable {
  /// Accepted, for these types and until this time.
  case accepted(DataTypeSet, endsAt: Instant)
  /// Declined.
  case declined
  /// Not answered by the start, or withdrawn before.
  case expired
}

/// Why samples are unavailable for now; the raw value is the API's `reason`.
package enum DataUnavailability: String, Sendable, Hashable, CaseIterable {
  /// The person has switched the types off.
  case switchedOff = "type switched off"
  /// The person's account is inactive.
  case accountInactive = "account inactive"
  /// The person has paused the collection.
  case paused = "collection paused"
}

/// A page of events after a number.
package struct InternalEventPage: Sendable, Hashable, JSONReadable {
  /// In the order of their numbers.
  package let events: [InternalEvent]
  /// The number of further events that can't be read, such as those of a type newer than the
  /// reader.
  package let unreadableCount: Int
  /// The number after which the next page begins.
  package let next: Int64
  /// Whether further events may be available already.
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

/// An event, if it can be read.
private struct MaybeEvent: JSONReadable {
  let event: InternalEvent?

  init(from reader: inout JSONReader) throws(JSONError) { event = try reader.ifReadable() }
}
