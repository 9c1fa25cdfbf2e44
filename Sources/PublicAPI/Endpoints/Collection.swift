import JSON

extension Endpoint {
  /// What users wish of the collection of their data (DAT-7, DAT-8).
  static let collection: [Endpoint] = [.eraseSamples, .pauseCollection]

  /// Samples are erased (DAT-7).
  package static let eraseSamples = Endpoint.delete(
    "/data", "eraseSamples", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Deletes one's own samples, of one type or of all, of a period or all. Nobody gets them any "
      + "more; what was handed out before stays with those who have it.",
    query: [
      .optional("type", .dataType, "The data type; every type if left out."),
      .optional("from", .timestamp, "The first moment of the period; the beginning if left out."),
      .optional("to", .timestamp, "The moment after the period; no end if left out."),
    ],
    answers: [
      .message(
        "Action successful",
        and: [
          .required("deleted", .count, "How many samples went; 0 when repeated."),
          .required("bytesFreed", .count, "How much room is free again."),
        ])
    ])

  /// Collection is paused or resumed (DAT-8).
  package static let pauseCollection = Endpoint.post(
    "/data/pause", "pauseCollection", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Stores nothing of uploads and imports until a time; replies then say how many were `paused`.",
    body: .json(
      .object([
        .required(
          "until", .dateTime.nullable,
          "The end of the pause, 366 days ahead at most; null resumes at once.")
      ])),
    answers: [
      .message("Settings updated", and: [.required("pausedUntil", .dateTime.nullable)])
    ])
}
