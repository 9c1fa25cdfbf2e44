import JSON

/// The run of a check-in request, as shown to people (R47).
package struct CheckInRun: Sendable {
  package let runID: Int64
  /// The public code of the run.
  package let code: String
  package let name: String

  /// The run of Track4Run with this number and code.
  package init(runID: Int64, code: String, name: String) {
    self.runID = runID
    self.code = code
    self.name = name
  }

  /// The personal data of an accepted check-in that the organiser sees, besides the samples
  /// (RUN-9).
  static let organiserSees = ["full_name", "email"]

  /// Writes the run, and the personal data that the organiser will see.
  package func write(to writer: inout JSONWriter) {
    writer.field("runID", runID)
    writer.field("code", code)
    writer.field("runName", name)
    writer.field("organiserSees", Self.organiserSees)
  }
}
