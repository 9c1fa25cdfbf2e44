import HTTP
import JSON

extension Endpoint {
  /// Loading whole exports (DAT-6).
  static let imports: [Endpoint] = [.startImport, .readImport]

  /// Bytes of an export at most: 4 GiB.
  package static let importBytesMax: UInt64 = 4 * 1024 * 1024 * 1024

  /// An export is uploaded.
  package static let startImport = Endpoint.post(
    "/data/import", "startImport", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Takes an export of Apple Health or Health Auto Export or GPX tracks, plain or in a zip, "
      + "streamed; of a malformed file nothing is stored.",
    query: [
      .required(
        "format", .word(["apple-health", "health-auto-export", "gpx"]), "What wrote the file.")
    ],
    body: .stream(
      mediaTypes: [
        "application/xml", "text/xml", "application/json", "application/gpx+xml", "application/zip",
        "application/octet-stream",
      ], bytesMax: importBytesMax),
    answers: [
      .json(
        .object([.required("importID", .uuid)]), status: .accepted,
        "The file is staged; its samples appear when the import is done.")
    ],
    errors: [ErrorAnswer(.conflict, "Wrong state", "Another import of yours is under way.")]
  ).withoutKey()

  /// How an import is doing.
  package static let readImport = Endpoint.get(
    "/data/import", "readImport", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "The progress and the outcome of an import.",
    query: [.required("importID", .uuid, "What starting it answered.")],
    answers: [
      .json(
        .object([
          .required("importID", .uuid),
          .required("state", .oneOf(["running", "done", "failed"])),
          .required("bytesRead", .count), .required("bytesTotal", .count.nullable),
          .required("samples", .count), .required("stored", .count),
          .required("duplicates", .count), .required("disabled", .count),
          .required("paused", .count),
          .required("dropped", .count, "Older samples that made way, new ones included."),
          .required(
            "skipped", .dictionary(of: .count),
            "Records that are no sample of ours, by their type in the file."),
          .optional(
            "error",
            .object([
              .required("line", .count), .required("column", .count),
              .required("detail", .text),
            ]),
            "Where the file is malformed or was cut off; 0 where the zip around it is at fault."),
        ]))
    ],
    errors: [ErrorAnswer(.notFound, "Not found", "No import of yours has this identifier.")])
}
