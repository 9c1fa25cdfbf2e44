import HTTP
import JSON

extension Endpoint {
  /// A run as everybody sees it by its code (R50, R51, RUN-4).
  static let publicRuns: [Endpoint] = [
    .showRun, .runQRCode, .runClauses, .givePicture, .runPicture, .runPage, .runPreview,
  ]

  /// A run by its code.
  package static let showRun = Endpoint.get(
    "/t4r/run/{code}", "showRun", at: .track4run, for: .anyone, "A published run by its code.",
    in: [.runCode],
    answers: [
      .json(
        .object([
          .required("runID", .runNumber), .required("code", .text), .required("runName", .text),
          .optional("description", .text), .optional("place", .text),
          .required("organiser", .text), .required("startTime", .dateTime),
          .required("endTime", .dateTime), .required("enrolUntil", .dateTime),
          .required("endPoint", .text), .required("length", .count, "Of its path, in metres."),
          .required("participants", .count, "How many may join."), .required("enrolled", .count),
          .required("state", .runState), .required("link", .text, "Its public page."),
          .required("qrCode", .text, "A picture of that link for cameras."),
          .optional("picture", .text, "Where the picture of the run is, if it has one."),
          .optional("clausesVersion", .count, "Of the clauses that one accepts by joining."),
          .optional("clauses", .text, "The clauses, if it has some."),
        ]))
    ],
    errors: [.unlistedRun]
  ).keptForMoments()

  /// The QR code of a run.
  package static let runQRCode = Endpoint.get(
    "/t4r/run/{code}/qr.svg", "runQRCode", at: .track4run, for: .anyone,
    "A QR code of the link of a run's public page.", in: [.runCode],
    answers: [.other("image/svg+xml", "The picture.")], errors: [.unlistedRun])

  /// The clauses of a run (RUN-16).
  package static let runClauses = Endpoint.get(
    "/t4r/active/clauses", "runClauses", at: .track4run, for: .anyone,
    "The clauses that runners of a listed run accept; every version stays readable.",
    query: [
      .required("runID", .integer(1...Int.max), "The run."),
      .optional(
        "version", .integer(1...Int(Int32.max)), "The version in force if left out."),
    ],
    answers: [
      .json(
        .object([
          .required("runID", .runNumber), .required("version", .count),
          .required("text", .text), .required("since", .dateTime),
        ]))
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "No such run is listed, or it has no such clauses.")
    ])

  /// Bytes of a picture at most: 4 MiB.
  package static let pictureBytesMax: UInt64 = 4 * 1024 * 1024

  /// An organiser gives a run its picture (R38).
  package static let givePicture = Endpoint.post(
    "/t4r/org/picture", "givePicture", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "Gives a run its picture, in place of the one before; what a camera writes beside it, as the "
      + "place, is not kept.",
    query: [.required("runID", .integer(1...Int.max), "The run.")],
    body: .stream(mediaTypes: ["image/jpeg", "image/png"], bytesMax: pictureBytesMax),
    answers: [
      .message(
        "Action successful", and: [.required("width", .count), .required("height", .count)])
    ],
    errors: [.foreignRun, ErrorAnswer(.conflict, "Wrong state", "The run was cancelled.")]
  ).withoutKey()

  /// The picture of a run (R38).
  package static let runPicture = Endpoint.get(
    "/t4r/run/{code}/picture", "runPicture", at: .track4run, for: .anyone,
    "The picture that the organiser gave a run.", in: [.runCode],
    answers: [
      .other("image/jpeg", "The picture, as JPEG."), .other("image/png", "The same as PNG."),
      .notModified,
    ], errors: [.unlistedRun])

  /// The page of a run (RUN-10).
  package static let runPage = Endpoint.get(
    "/r/{code}", "runPage", at: .track4run, for: .anyone,
    "The page of a run, to share: what it is, how to join and to watch it, where it goes, and its "
      + "results once it is over.",
    in: [.runCode],
    query: [
      .optional(
        "runner", .integer(1...Int(Int32.max)),
        "The number of a runner: previews of the link show that result."),
      .optional("watch", .word(["1"]), "With the runners as they are now, read anew every 5 s."),
    ],
    answers: [.other("text/html", "The page."), .notModified], errors: [.unlistedRun]
  ).countingSpectators()

  /// The picture that previews of the page's link show (RUN-10).
  package static let runPreview = Endpoint.get(
    "/r/{code}/preview.png", "runPreview", at: .track4run, for: .anyone,
    "The course of a run as a picture.", in: [.runCode],
    answers: [.other("image/png", "The picture."), .notModified], errors: [.unlistedRun])
}

extension PathParameter {
  /// The code of a run.
  static let runCode = PathParameter(
    "code", .text, "The run's code, in capitals or not; spaces and hyphens don't count.")
}

extension ErrorAnswer {
  /// 404 for everybody.
  static let unlistedRun = ErrorAnswer(
    .notFound, "Not found", "No run has this code, or it was cancelled.")
}
