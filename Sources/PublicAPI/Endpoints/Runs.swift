import JSON

extension Endpoint {
  /// The public list of runs (R43, R51).
  static let runs: [Endpoint] = [.listRuns]

  /// Lists the published runs.
  package static let listRuns = Endpoint.get(
    "/t4r/active/list", "listRuns", at: .track4run, for: .anyone,
    "The published runs, newest start first.",
    query: [
      .optional("code", .text, "The run's code."),
      .optional("name", .text, "A part of the run's name."),
      .optional("place", .text, "A part of the location as described by the organiser."),
      .optional("near", .coordinate, "Runs whose path passes within `radius` of this point."),
      .optional("radius", .integer(1...1_000_000), "Metres around `near`; 10000 by default."),
      .optional("state", .choice(["open", "live", "ended"]), "Runs in this state only."),
    ] + QueryParameter.paging,
    answers: [
      .list(
        "run",
        of: [
          .required("runID", .integer(minimum: 1)), .required("code", .text),
          .required("runName", .text), .optional("place", .text),
          .required("startTime", .dateTime), .required("endTime", .dateTime),
          .required("endPoint", .text), .required("participants", .count),
          .required("enrolled", .count),
          .required("state", .oneOf(["open", "live", "ended"])), .required("organiser", .text),
          .optional("picture", .text, "The URL of the run's picture, if any."),
        ])
    ]
  ).keptForMoments()
}

/// A body that names only a run.
package struct RunBody: JSONDocumented {
  /// The run.
  package let runID: Int64

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier), make: RunBody.init)
}
