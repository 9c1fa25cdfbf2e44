import Domain
import HTTP
import PublicAPI
import ServiceKit
import Time
import Web
import XML

extension CreateRunBody {
  /// The terms of the run, checked at `now`.
  ///
  /// - Throws: `invalid` with the field that RUN-1 refuses.
  func terms(now: Instant) throws(ApplicationError) -> RunTerms {
    do throws(RunTermsError) {
      return try RunTerms(
        name: name, description: description, place: place, clauses: clauses,
        startsAt: startsAt, endsAt: endsAt, enrolUntil: enrolUntil,
        participantsMax: participantsMax, now: now)
    } catch {
      throw .invalid(error, field: error.field)
    }
  }
}

extension RunPathBody {
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
    do throws(XMLFault) {
      self.init(runID: runID, points: try GPXPath.points(of: request.body.bytes))
    } catch {
      throw .invalid("Line \(error.line), column \(error.column): \(error.detail)")
    }
  }
}

extension Request {
  /// Whether the media type is that of GPX.
  fileprivate var isGPX: Bool {
    let type = head.fields[.contentType]?.prefix { $0 != ";" }.lowercased()
    return type?.trimmingPrefix(" ").hasPrefix(Endpoint.gpxType) == true
  }
}
