import HTTP
import JSON

extension Endpoint {
  /// The public view of a run by its code (R50, R51, RUN-4).
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
          .required("endPoint", .text),
          .required("length", .count, "The length of its path in metres."),
          .required("participants", .count, "The maximum number of runners."),
          .required("enrolled", .count),
          .required("state", .runState), .required("link", .text, "The URL of its public page."),
          .required("qrCode", .text, "The URL of a QR code with that link."),
          .optional("picture", .text, "The URL of the run's picture, if any."),
          .optional("clausesVersion", .count, "The version of the clauses that joining accepts."),
          .optional("clauses", .text, "The text of the clauses, if any."),
        ]))
    ],
    errors: [.unlistedRun]
  ).keptForMoments()

  /// The QR code of a run.
  package static let runQRCode = Endpoint.get(
    "/t4r/run/{code}/qr.svg", "runQRCode", at: .track4run, for: .anyone,
    "A QR code with the link to a run's public page.", in: [.runCode],
    answers: [.other("image/svg+xml", "The picture.")], errors: [.unlistedRun])

  /// The clauses of a run (RUN-16).
  package static let runClauses = Endpoint.get(
    "/t4r/active/clauses", "runClauses", at: .track4run, for: .anyone,
    "The clauses that runners of a listed run must accept; every version stays available.",
    query: [
      .required("runID", .integer(1...Int.max), "The run."),
      .optional(
        "version", .integer(1...Int(Int32.max)), "By default the version in force."),
    ],
    answers: [
      .json(
        .object([
          .required("runID", .runNumber), .required("version", .count),
          .required("text", .text), .required("since", .dateTime),
        ]))
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "The run is not listed, or has no such clauses.")
    ])

  /// The maximum size of a picture: 4 MiB.
  package static let pictureBytesMax: UInt64 = 4 * 1024 * 1024

  /// Uploads the picture of a run (R38).
  package static let givePicture = Endpoint.post(
    "/t4r/org/picture", "givePicture", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "Sets a run's picture and replaces the previous one; metadata of the file, such as the "
      + "position, is removed.",
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
    "The picture of a run, uploaded by its organiser.", in: [.runCode],
    answers: [
      .other("image/jpeg", "The picture, as JPEG."), .other("image/png", "The same as PNG."),
      .notModified,
    ], errors: [.unlistedRun])

  /// The page of a run (RUN-10).
  package static let runPage = Endpoint.get(
    "/r/{code}", "runPage", at: .track4run, for: .anyone,
    "The public page of a run, for sharing: its description, how to join and watch it, its "
      + "course, and its results once it is over.",
    in: [.runCode],
    query: [
      .optional(
        "runner", .integer(1...Int(Int32.max)),
        "A runner's number: link previews show that runner's result."),
      .optional(
        "watch", .choice(["1"]), "Shows the current state of the runners, refreshed every 5 s."),
    ],
    answers: [.other("text/html", "The page."), .notModified], errors: [.unlistedRun]
  ).countingSpectators()

  /// The picture for link previews of the run's page (RUN-10).
  package static let runPreview = Endpoint.get(
    "/r/{code}/preview.png", "runPreview", at: .track4run, for: .anyone,
    "A picture of a run's course.", in: [.runCode],
    answers: [.other("image/png", "The picture."), .notModified], errors: [.unlistedRun])
}

extension PathParameter {
  /// The code of a run.
  static let runCode = PathParameter(
    "code", .text, "The run's code; case, spaces and hyphens are ignored.")
}

extension ErrorAnswer {
  /// 404 for an unknown or unlisted run.
  static let unlistedRun = ErrorAnswer(
    .notFound, "Not found", "No run has this code, or it was cancelled.")
}
