import HTTP
import JSON

extension Endpoint {
  /// Import of whole export files (DAT-6).
  static let imports: [Endpoint] = [.startImport, .readImport]

  /// The maximum size of an export: 4 GiB.
  package static let importBytesMax: UInt64 = 4 * 1024 * 1024 * 1024

  /// Uploads an export file.
  package static let startImport = Endpoint.post(
    "/data/import", "startImport", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Accepts a streamed export of Apple Health or Health Auto Export, or GPX tracks, plain "
      + "or in a zip; a malformed file is rejected as a whole.",
    query: [
      .required(
        "format", .choice(["apple-health", "health-auto-export", "gpx"]), "The source of the file.")
    ],
    body: .stream(
      mediaTypes: [
        "application/xml", "text/xml", "application/json", "application/gpx+xml", "application/zip",
        "application/octet-stream",
      ], bytesMax: importBytesMax),
    answers: [
      .json(
        .object([.required("importID", .uuid)]), status: .accepted,
        "The file was received; its samples appear when the import is complete.")
    ],
    errors: [ErrorAnswer(.conflict, "Wrong state", "Another of your imports is in progress.")]
  ).withoutKey()

  /// Reads the progress of an import.
  package static let readImport = Endpoint.get(
    "/data/import", "readImport", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "The progress and result of an import.",
    query: [
      .required("importID", .uuid, "The identifier from the response that started the import.")
    ],
    answers: [
      .json(
        .object([
          .required("importID", .uuid),
          .required("state", .oneOf(["running", "done", "failed"])),
          .required("bytesRead", .count), .required("bytesTotal", .count.nullable),
          .required("samples", .count), .required("stored", .count),
          .required("duplicates", .count), .required("disabled", .count),
          .required("paused", .count),
          .required(
            "dropped", .count,
            "Samples deleted because the quota was full, oldest first, including new ones."),
          .required(
            "skipped", .dictionary(of: .count),
            "Ignored records by their type in the file."),
          .optional(
            "error",
            .object([
              .required("line", .count), .required("column", .count),
              .required("detail", .text),
            ]),
            "The position where the file is malformed or was cut off; 0 if the "
              + "surrounding zip is faulty."),
        ]))
    ],
    errors: [ErrorAnswer(.notFound, "Not found", "No import of yours has this identifier.")])
}
