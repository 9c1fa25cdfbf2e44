import JSON

extension Endpoint {
  /// Control of single users over the collection of their data (DAT-7, DAT-8).
  static let collection: [Endpoint] = [.eraseSamples, .pauseCollection]

  /// Deletes samples (DAT-7).
  package static let eraseSamples = Endpoint.delete(
    "/data", "eraseSamples", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Deletes your samples, of one type or all, of a period or all. They are no longer "
      + "delivered to anyone; copies delivered before remain with their recipients.",
    query: [
      .optional("type", .dataType, "The data type; all types by default."),
      .optional("from", .instant, "The start of the period; by default the earliest sample."),
      .optional("to", .instant, "The end of the period, exclusive; by default none."),
    ],
    answers: [
      .message(
        "Action successful",
        and: [
          .required("deleted", .count, "The number of deleted samples; 0 for a repeated call."),
          .required("bytesFreed", .count, "The number of freed bytes."),
        ])
    ])

  /// Pauses or resumes collection (DAT-8).
  package static let pauseCollection = Endpoint.post(
    "/data/pause", "pauseCollection", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Discards samples of uploads and imports until a time; responses then report how many "
      + "were `paused`.",
    body: .json(PauseUntilBody.self),
    answers: [
      .message("Settings updated", and: [.required("pausedUntil", .dateTime.nullable)])
    ])
}
