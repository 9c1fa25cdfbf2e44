import JSON

extension Endpoint {
  /// Runs, as everybody may list them (R43, R51).
  static let runs: [Endpoint] = [.listRuns]

  /// The public list.
  package static let listRuns = Endpoint.get(
    "/t4r/active/list", "listRuns", at: .track4run, for: .anyone,
    "The published runs, the newest start first.",
    query: [
      .optional("code", .text, "The run's code."),
      .optional("name", .text, "A part of its name."),
      .optional("place", .text, "A part of where it is, in the organiser's words."),
      .optional("near", .coordinate, "Whose path comes near this point; `radius` says how near."),
      .optional("radius", .integer(1...1_000_000), "Metres around `near`; 10000 if left out."),
      .optional("state", .word(["open", "live", "ended"]), "Runs in this state only."),
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
          .optional("picture", .text, "Where the picture of the run is, if it has one."),
        ])
    ]
  ).keptForMoments()
}
