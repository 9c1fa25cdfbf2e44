import Domain
import JSON
import ServiceKit

/// A query for the identities of runners who accepted the check-in of an organiser (RUN-9).
package struct RunnersQuestion: Sendable, Hashable {
  /// The maximum number of requests in one query.
  package static let countMax = 500
  /// The company that asked for the check-ins.
  package let thirdParty: AccountID
  /// The check-in requests.
  package let requestIDs: [DataRequestID]

  /// A query about at most `countMax` requests.
  package init(_ requestIDs: [DataRequestID], askedBy thirdParty: AccountID) {
    self.thirdParty = thirdParty
    self.requestIDs = requestIDs
  }
}

/// The identity of a runner whose check-in the organiser was granted.
package struct KnownRunner: Sendable, Hashable {
  /// The check-in request.
  package let requestID: DataRequestID
  /// The full name of the person.
  package let name: String
  /// The email of the account.
  package let email: String

  /// A runner with these properties.
  package init(_ requestID: DataRequestID, name: String, email: String) {
    self.requestID = requestID
    self.name = name
    self.email = email
  }
}

/// The runners of a query whose check-in is accepted, in no particular order.
package struct KnownRunners: Sendable, Hashable, JSONReadable, JSONWritable {
  /// One for each request that is accepted and not ended.
  package let runners: [KnownRunner]

  /// These runners.
  package init(_ runners: [KnownRunner]) { self.runners = runners }

  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(try reader.object(with: "runners"))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("runners", runners) }
  }
}

extension RunnersQuestion: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var thirdParty: AccountID?
    var requestIDs: [DataRequestID]?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "thirdParty": thirdParty = try reader.account()
      case "reqIDs": requestIDs = try Self.requestIDs(&reader)
      default: break
      }
    }
    self.init(
      try reader.mandatory("reqIDs", requestIDs),
      askedBy: try reader.mandatory("thirdParty", thirdParty))
  }

  private static func requestIDs(
    _ reader: inout JSONReader
  ) throws(JSONError) -> [DataRequestID] {
    var requestIDs: [DataRequestID] = []
    try reader.beginArray(countMax: countMax)
    while try reader.nextElement() { requestIDs.append(try reader.requestID()) }
    return requestIDs
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("thirdParty", thirdParty.rawValue)
      writer.field("reqIDs", requestIDs.map(\.description))
    }
  }
}

extension KnownRunner: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var requestID: DataRequestID?
    var name: String?
    var email: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID": requestID = try reader.requestID()
      case "name": name = try reader.string()
      case "email": email = try reader.string()
      default: break
      }
    }
    self.init(
      try reader.mandatory("reqID", requestID), name: try reader.mandatory("name", name),
      email: try reader.mandatory("email", email))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("reqID", requestID.description)
      writer.field("name", name)
      writer.field("email", email)
    }
  }
}
