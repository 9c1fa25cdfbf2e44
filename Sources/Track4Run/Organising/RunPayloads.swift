import Domain
import HTTP
import JSON
import PublicAPI
import Services
import XML

/// The body of `POST /t4r/org/create`.
struct CreateRunPayload: JSONReadable {
  let name: RunName
  var description: RunDescription?
  var place: RunName?
  let startsAt: Timestamp
  let endsAt: Timestamp
  var enrolUntil: Timestamp?
  var clauses: RunClauses?
  let participantsMax: Int

  init(from reader: inout JSONReader) throws(JSONError) {
    var name: RunName?
    var (startsAt, endsAt): (Timestamp?, Timestamp?)
    var participantsMax: Int?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "runName": name = try reader.runName()
      case "description":
        description = try reader.read { (text) throws(RunDescriptionError) in
          try RunDescription(text)
        }
      case "place": place = try reader.runName()
      case "clauses":
        clauses = try reader.read { (text) throws(RunClausesError) in try RunClauses(text) }
      case "startTime": startsAt = try reader.moment()
      case "endTime": endsAt = try reader.moment()
      case "enrolUntil": enrolUntil = try reader.moment()
      case "participants": participantsMax = try reader.integer()
      default: break
      }
    }
    self.name = try reader.mandatory("runName", name)
    self.startsAt = try reader.mandatory("startTime", startsAt)
    self.endsAt = try reader.mandatory("endTime", endsAt)
    self.participantsMax = try reader.mandatory("participants", participantsMax)
  }

  /// The terms of the run, checked at `now`.
  ///
  /// - Throws: `invalid` with the field that RUN-1 refuses.
  func terms(now: Timestamp) throws(ApplicationError) -> RunTerms {
    do throws(RunTermsError) {
      return try RunTerms(
        name: name, description: description, place: place, clauses: clauses,
        startsAt: startsAt, endsAt: endsAt, enrolUntil: enrolUntil,
        participantsMax: Int64(participantsMax), now: now)
    } catch {
      throw .invalid(error, field: error.field)
    }
  }
}

/// The body of `POST /t4r/org/update`: omitted fields keep their value, an empty text removes it.
struct UpdateRunPayload: JSONReadable {
  let runID: Int64
  let changes: RunChanges

  init(from reader: inout JSONReader) throws(JSONError) {
    var runID: Int64?
    var changes = RunChanges()
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "runID": runID = try reader.runID()
      case "runName": changes.name = try reader.runName()
      case "description":
        changes.description = try reader.remark { (text) throws(RunDescriptionError) in
          try RunDescription(text)
        }
      case "place":
        changes.place = try reader.remark { (text) throws(NameError) in try RunName(text) }
      case "clauses":
        changes.clauses = try reader.remark { (text) throws(RunClausesError) in
          try RunClauses(text)
        }
      case "startTime": changes.startsAt = try reader.moment()
      case "endTime": changes.endsAt = try reader.moment()
      case "enrolUntil": changes.enrolUntil = try reader.moment()
      case "participants": changes.participantsMax = Int64(try reader.integer())
      default: break
      }
    }
    self.runID = try reader.mandatory("runID", runID)
    self.changes = changes
  }
}

/// The body of `POST /t4r/org/path`.
struct RunPathPayload: JSONReadable {
  let runID: Int64
  let points: [GeoPoint]

  /// Reads the body of a request: JSON, or GPX with the run in the query.
  ///
  /// - Throws: `invalid` with the field, or the line and the column.
  init(of request: Request) throws(ApplicationError) {
    guard request.isGPX else {
      self = try request.payload()
      return
    }
    guard let runID = request.query["runID"].flatMap({ Int64($0) }) else {
      throw .invalid(
        "The query parameter runID is missing: a GPX file names no run.", field: "runID")
    }
    self.runID = runID
    do throws(XMLFault) { points = try GPXPath.points(of: request.body.bytes) } catch {
      throw .invalid("Line \(error.line), column \(error.column): \(error.detail)")
    }
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var runID: Int64?
    var points: [GeoPoint]?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "runID": runID = try reader.runID()
      case "path": points = try reader.points()
      default: break
      }
    }
    self.runID = try reader.mandatory("runID", runID)
    self.points = try reader.mandatory("path", points)
  }
}

extension Request {
  /// Whether the media type is that of GPX.
  fileprivate var isGPX: Bool {
    let type = head.fields[.contentType]?.prefix { $0 != ";" }.lowercased()
    return type?.trimmingPrefix(" ").hasPrefix(Endpoint.gpxType) == true
  }
}

extension JSONReader {
  /// Reads a text by a parser of the domain; the parser's sentence becomes that of the error.
  package mutating func read<Value, Failure: DomainError>(
    _ parse: (String) throws(Failure) -> Value
  ) throws(JSONError) -> Value {
    let text = try string()
    do throws(Failure) { return try parse(text) } catch { throw refusal(error.description) }
  }

  /// Reads a changed text; an empty text removes it.
  mutating func remark<Value, Failure: DomainError>(
    _ parse: (String) throws(Failure) -> Value
  ) throws(JSONError) -> RunChanges.Remark<Value> {
    let text = try string()
    if text.isEmpty { return .removed }
    do throws(Failure) { return .replaced(try parse(text)) } catch {
      throw refusal(error.description)
    }
  }

  /// Reads the name of a run or its place.
  mutating func runName() throws(JSONError) -> RunName {
    try read { (text) throws(NameError) in try RunName(text) }
  }

  /// Reads a time with its offset.
  mutating func moment() throws(JSONError) -> Timestamp {
    try read { (text) throws(TimestampError) in try Timestamp(utf8: text.utf8Span.span) }
  }

  /// Reads the number of a run, as a number or a string of digits.
  package mutating func runID() throws(JSONError) -> Int64 {
    try JSONForm.runIdentifier.read(&self)
  }

  /// Reads the points of a path.
  mutating func points() throws(JSONError) -> [GeoPoint] {
    var points: [GeoPoint] = []
    try beginArray(countMax: RunPath.pointsMax)
    while try nextElement() {
      points.append(
        try object(with: "coordinate") { (reader) throws(JSONError) in
          try reader.read { (text) throws(GeoPointError) in try GeoPoint(text) }
        })
    }
    return points
  }
}
