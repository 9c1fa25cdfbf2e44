import HTTP
import JSON

extension Endpoint {
  /// A run as everybody sees it by its code (R50, R51, RUN-4).
  static let publicRuns: [Endpoint] = [.showRun, .runQRCode]

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
        ]))
    ],
    errors: [.unlistedRun])

  /// The QR code of a run.
  package static let runQRCode = Endpoint.get(
    "/t4r/run/{code}/qr.svg", "runQRCode", at: .track4run, for: .anyone,
    "A QR code of the link of a run's public page.", in: [.runCode],
    answers: [.other("image/svg+xml", "The picture.")], errors: [.unlistedRun])
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
