import JSON

/// The run of a check-in request, as shown to people (R47).
struct CheckInRun: Sendable {
  let runID: Int64
  /// The public code of the run.
  let code: String
  let name: String

  /// The personal data of an accepted check-in that the organiser sees, besides the samples
  /// (RUN-9).
  static let organiserSees = ["full_name", "email"]

  /// Writes the run, and the personal data that the organiser will see.
  func write(to writer: inout JSONWriter) {
    writer.field("runID", runID)
    writer.field("code", code)
    writer.field("runName", name)
    writer.field("organiserSees", Self.organiserSees)
  }
}
