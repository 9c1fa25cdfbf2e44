import HTTP
import JSON

extension Endpoint {
  /// Results of runs (RUN-5, RUN-6, RUN-8).
  static let runResults: [Endpoint] = [.runStatistics, .ownTrack, .downloadRun]

  /// The statistics of a run for one of its runners (RUN-6).
  package static let runStatistics = Endpoint.get(
    "/t4r/my/stats", "runStatistics", at: .track4run, for: .singleUser(otherwise: .wrongToken),
    "The results of all runners in a run in which you are enrolled, including your own; "
      + "final results no longer change.",
    query: [.required("runID", .integer(1...Int.max), "The run.")],
    answers: [
      .json(
        .object([
          .required("runID", .runNumber), .required("runName", .text),
          .required("state", .runState),
          .required("final", .boolean, "Whether places and times are final."),
          .required("number", .count, "One's own."),
          .optional(
            "link", .text, "A link for sharing your final result on the public page."),
          .optional("preview", .text, "The picture for previews of that link."),
          .required("runners", .array(of: .runnerStatistics), "By place."),
        ]))
    ],
    errors: [ErrorAnswer(.notFound, "Not found", "You are not enrolled in such a run.")])

  /// Downloads the runner's own track (RUN-10).
  package static let ownTrack = Endpoint.get(
    "/t4r/my/track", "ownTrack", at: .track4run, for: .singleUser(otherwise: .wrongToken),
    "Your positions in a run as a GPX track, with your heart rate if it was shared.",
    query: [.required("runID", .integer(1...Int.max), "The run.")],
    answers: [.other("application/gpx+xml", "GPX 1.1, one track.")],
    errors: [ErrorAnswer(.notFound, "Not found", "You are not enrolled in such a run.")])

  /// Downloads the data of a run for its organiser (RUN-8).
  package static let downloadRun = Endpoint.get(
    "/t4r/org/download", "downloadRun", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "The data shared by the runners of a run that you organise, runner by runner: "
      + "positions, and for the company that created the run also the health data. The "
      + "download appears in the runners' records of accesses.",
    query: [
      .required("runID", .integer(1...Int.max), "The run."),
      .optional("format", .choice(["csv", "ndjson", "gpx"]), "`csv` by default."),
    ],
    answers: [
      .other(
        "text/csv",
        "Columns number, runnerName, dataType, value, unit, timestamp; with a header line."),
      .other("application/x-ndjson", "The same with one object per line."),
      .other(
        "application/gpx+xml", "GPX 1.1: one track per runner, with heart rates at its points."),
    ],
    errors: [.foreignRun]
  ).revocable()
}

extension JSONSchema {
  /// The figures of a runner in a run.
  fileprivate static let runnerStatistics = object([
    .required("number", .count), .required("runnerName", .text),
    .required("own", .boolean), .required("status", .text),
    .optional("place", .count), .optional("finishTime", .dateTime),
    .optional("distance", .number(minimum: 0), "Metres."),
    .optional("seconds", .number(minimum: 0), "Since the start of the run."),
    .optional("averagePace", .number(minimum: 0), "Seconds per kilometre."),
    .optional(
      "currentPace", .number(minimum: 0),
      "The pace of the last minute, for runners still on the course."),
    .optional(
      "splits",
      .array(
        of: .object([
          .required("distance", .number(minimum: 0)), .required("seconds", .number(minimum: 0)),
          .required("pace", .number(minimum: 0)),
        ])), "Each kilometre, and the rest of the last one."),
    .optional(
      "heartRate", .number(minimum: 0), "The mean; for yourself and for runners who show it."),
    .optional("activeEnergy", .number(minimum: 0), "Kilocalories; likewise."),
  ])
}
