import HTTP
import JSON

extension Endpoint {
  /// What came of runs (RUN-5, RUN-6, RUN-8).
  static let runResults: [Endpoint] = [.runStatistics, .ownTrack, .downloadRun]

  /// A runner looks at the own run beside the others' (RUN-6).
  package static let runStatistics = Endpoint.get(
    "/t4r/my/stats", "runStatistics", at: .track4run, for: .singleUser(otherwise: .wrongToken),
    "What everybody has come to in a run that one is enrolled in, oneself among them; once it is "
      + "final, it stays as it is.",
    query: [.required("runID", .integer(1...Int.max), "The run.")],
    answers: [
      .json(
        .object([
          .required("runID", .runNumber), .required("runName", .text),
          .required("state", .runState),
          .required("final", .boolean, "Whether places and times change no more."),
          .required("number", .count, "One's own."),
          .optional(
            "link", .text, "Of one's result on the public page, once it is final; to share."),
          .optional("preview", .text, "The picture that previews of that link show."),
          .required("runners", .array(of: .runnerStatistics), "By place."),
        ]))
    ],
    errors: [ErrorAnswer(.notFound, "Not found", "One is not enrolled in such a run.")])

  /// A runner takes the own track (RUN-10).
  package static let ownTrack = Endpoint.get(
    "/t4r/my/track", "ownTrack", at: .track4run, for: .singleUser(otherwise: .wrongToken),
    "One's own positions in a run as a GPX track, with one's heart rate where it was shared.",
    query: [.required("runID", .integer(1...Int.max), "The run.")],
    answers: [.other("application/gpx+xml", "GPX 1.1, one track.")],
    errors: [ErrorAnswer(.notFound, "Not found", "One is not enrolled in such a run.")])

  /// An organiser takes the data of a run (RUN-8).
  package static let downloadRun = Endpoint.get(
    "/t4r/org/download", "downloadRun", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "What runners shared in a run that one organises, runner by runner: positions, and to the "
      + "company that created the run the health data too. Stands in their records of accesses.",
    query: [
      .required("runID", .integer(1...Int.max), "The run."),
      .optional("format", .word(["csv", "ndjson", "gpx"]), "`csv` if left out."),
    ],
    answers: [
      .other("text/csv", "number, runnerName, dataType, value, unit, timestamp; a header line."),
      .other("application/x-ndjson", "The same as an object a line."),
      .other("application/gpx+xml", "GPX 1.1: a track a runner, heart rates at its points."),
    ],
    errors: [.foreignRun])
}

extension JSONSchema {
  /// A runner of a run in numbers.
  fileprivate static let runnerStatistics = object([
    .required("number", .count), .required("runnerName", .text),
    .required("own", .boolean), .required("status", .text),
    .optional("place", .count), .optional("finishTime", .dateTime),
    .optional("distance", .number(minimum: 0), "Metres."),
    .optional("seconds", .number(minimum: 0), "From the start of the run."),
    .optional("averagePace", .number(minimum: 0), "Seconds a kilometre."),
    .optional("currentPace", .number(minimum: 0), "Of the last minute; of who is on the way."),
    .optional(
      "splits",
      .array(
        of: .object([
          .required("distance", .number(minimum: 0)), .required("seconds", .number(minimum: 0)),
          .required("pace", .number(minimum: 0)),
        ])), "Kilometre by kilometre, and what is left of the last one."),
    .optional("heartRate", .number(minimum: 0), "The mean; one's own, and of who shows it."),
    .optional("activeEnergy", .number(minimum: 0), "Kilocalories; likewise."),
  ])
}
