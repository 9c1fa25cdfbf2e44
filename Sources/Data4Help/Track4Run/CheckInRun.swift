import JSON

/// The run of a check-in request, as people are told it (R47).
struct CheckInRun: Sendable {
  let runID: Int64
  /// The code by which everybody finds it.
  let code: String
  let name: String

  /// What an accepted check-in shows of a person to the organiser, beside the data (RUN-9).
  static let organiserSees = ["full_name", "email"]

  /// Writes what the request says of the run, and of what the organiser learns.
  func write(to writer: inout JSONWriter) {
    writer.field("runID", runID)
    writer.field("code", code)
    writer.field("runName", name)
    writer.field("organiserSees", Self.organiserSees)
  }
}
