import Domain
import JSON
import ServiceKit

/// The outcome of sending a check-in request; the raw values are the names between the services.
package enum CheckInOutcome: String, Sendable, CaseIterable {
  /// It exists: sent now, or by an earlier call.
  case sent
  /// The runner's account was deleted, or is not a person's.
  case deleted = "gone"
  /// The runner's account is inactive: another attempt may succeed once it is active.
  case inactive
  /// The organiser's account was deleted or is inactive.
  case organiserDeleted = "organiser gone"
  /// The run has begun, so the request could not be answered (R49).
  case begun
  /// The identifier is that of another request.
  case taken
}

/// The outcome of each request of a batch, in its order.
package struct CheckInOutcomes: Sendable, Hashable, JSONReadable, JSONWritable {
  /// One for each runner.
  package let outcomes: [CheckInOutcome]

  /// Outcomes in the order of the batch.
  package init(_ outcomes: [CheckInOutcome]) { self.outcomes = outcomes }

  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(try reader.object(with: "outcomes"))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("outcomes", outcomes) }
  }
}

extension CheckInOutcome: JSONReadable, JSONWritable {
  /// Reads its name.
  package init(from reader: inout JSONReader) throws(JSONError) {
    guard let outcome = Self(rawValue: try reader.string()) else {
      throw reader.refusal("This is not an outcome of a check-in request.")
    }
    self = outcome
  }

  /// Writes its name.
  package func write(to writer: inout JSONWriter) { rawValue.write(to: &writer) }
}

/// Check-in requests to withdraw: unanswered ones can't be answered from then on, accepted ones
/// deliver no further data.
package struct CheckInEnds: Sendable, Hashable, JSONReadable, JSONWritable {
  /// The maximum number of requests in one call.
  package static let countMax = 500
  /// The requests; unknown ones and those that are over are ignored.
  package let requestIDs: [DataRequestID]

  /// At most `countMax` requests.
  package init(_ requestIDs: [DataRequestID]) { self.requestIDs = requestIDs }

  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      try reader.object(with: "reqIDs") { (reader) throws(JSONError) in
        var requestIDs: [DataRequestID] = []
        try reader.beginArray(countMax: Self.countMax)
        while try reader.nextElement() { requestIDs.append(try reader.requestID()) }
        return requestIDs
      })
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("reqIDs", requestIDs.map(\.description)) }
  }
}
