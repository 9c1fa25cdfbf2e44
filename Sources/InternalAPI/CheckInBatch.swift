import Domain
import JSON
import PublicAPI
import ServiceKit
import Time

/// Check-in requests to runners of one run, sent on behalf of its organiser (R39, R40).
///
/// The identifiers follow from run, runner and attempt, so a repeated batch creates no request
/// twice.
package struct CheckInBatch: Sendable, Hashable {
  /// The maximum number of runners in one batch.
  package static let countMax = 500
  /// The maximum length of a run's name in characters.
  package static let nameLengthMax = 200

  /// A runner to ask, and the identifier of the request.
  package struct Runner: Sendable, Hashable {
    /// The identifier of the request; that of a withdrawn request is not used again.
    package let requestID: DataRequestID
    /// The person.
    package let account: AccountID

    /// A runner to be asked.
    package init(_ requestID: DataRequestID, _ account: AccountID) {
      self.requestID = requestID
      self.account = account
    }
  }

  /// The organiser of the run.
  package let organiser: AccountID
  /// The number of the run.
  package let runID: Int64
  /// The public code of the run.
  package let code: String
  /// The name of the run.
  package let runName: String
  /// The begin of the requested data, and the deadline for the answer.
  package let startsAt: Instant
  /// The end of the requested data.
  package let endsAt: Instant
  /// The runners to ask.
  package let runners: [Runner]

  /// A batch of at most `countMax` runners.
  package init(
    organiser: AccountID, runID: Int64, code: String, runName: String, startsAt: Instant,
    endsAt: Instant,
    runners: [Runner]
  ) {
    self.organiser = organiser
    self.runID = runID
    self.code = code
    self.runName = runName
    self.startsAt = startsAt
    self.endsAt = endsAt
    self.runners = runners
  }
}

extension CheckInBatch: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var organiser: AccountID?
    var runID: Int64?
    var code: String?
    var runName: String?
    var startsAt: Instant?
    var endsAt: Instant?
    var runners: [Runner]?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "organiser": organiser = try reader.account()
      case "runID": runID = Int64(try reader.integer())
      case "code": code = try reader.string(of: 1...Self.nameLengthMax)
      case "runName": runName = try reader.string(of: 1...Self.nameLengthMax)
      case "startsAt": startsAt = try reader.instant()
      case "endsAt": endsAt = try reader.instant()
      case "runners": runners = try reader.list(of: Runner.self, countMax: Self.countMax)
      default: break
      }
    }
    self.init(
      organiser: try reader.mandatory("organiser", organiser),
      runID: try reader.mandatory("runID", runID), code: try reader.mandatory("code", code),
      runName: try reader.mandatory("runName", runName),
      startsAt: try reader.mandatory("startsAt", startsAt),
      endsAt: try reader.mandatory("endsAt", endsAt),
      runners: try reader.mandatory("runners", runners))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("organiser", organiser.rawValue)
      writer.field("runID", runID)
      writer.field("code", code)
      writer.field("runName", runName)
      writer.field("startsAt", startsAt.description)
      writer.field("endsAt", endsAt.description)
      writer.field("runners", runners)
    }
  }
}

extension CheckInBatch.Runner: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var requestID: DataRequestID?
    var account: AccountID?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID": requestID = try reader.requestID()
      case "account": account = try reader.account()
      default: break
      }
    }
    self.init(
      try reader.mandatory("reqID", requestID), try reader.mandatory("account", account))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("reqID", requestID.description)
      writer.field("account", account.rawValue)
    }
  }
}
