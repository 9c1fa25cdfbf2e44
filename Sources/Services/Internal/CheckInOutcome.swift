import Domain
import JSON

/// What became of a check-in request that was to be sent.
package enum CheckInOutcome: String, Sendable, CaseIterable {
  /// It is there: sent now, or by an earlier call.
  case sent
  /// The runner's account is gone, or no person's.
  case gone
  /// The runner's account is switched inactive: sent again once it is active, it may succeed.
  case inactive
  /// The organiser's account is gone or inactive.
  case organiserGone = "organiser gone"
  /// The run has begun, so that nobody could answer any more (R49).
  case begun
  /// The identifier is that of another request.
  case taken
}

/// What became of each request of a batch, in its order.
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
  /// Reads its word.
  package init(from reader: inout JSONReader) throws(JSONError) {
    guard let outcome = Self(rawValue: try reader.string()) else {
      throw reader.refusal("This is no outcome of a check-in request.")
    }
    self = outcome
  }

  /// Writes its word.
  package func write(to writer: inout JSONWriter) { rawValue.write(to: &writer) }
}

/// Check-in requests to take back: unanswered ones can't be answered any more, accepted ones give
/// nothing more.
package struct CheckInEnds: Sendable, Hashable, JSONReadable, JSONWritable {
  /// Requests of one call at most.
  package static let countMax = 500
  /// Which; unknown ones and those that are over are passed over.
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
