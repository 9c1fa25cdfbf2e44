import Domain
import Images
import Postgres
import Time

/// Stores the picture of a run, replacing the previous one.
struct StorePicture: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.pictures (run_id, kind, bytes, digest, stored_at)
    VALUES (\(\.runID), \(\.kind), \(\.bytes), \(\.digest), \(\.now))
        ON CONFLICT (run_id) DO UPDATE
       SET kind = excluded.kind, bytes = excluded.bytes, digest = excluded.digest,
           stored_at = excluded.stored_at
    """
  let runID: Int64
  let kind: Int16
  let bytes: [UInt8]
  let digest: [UInt8]
  let now: Instant
}

/// The digest of a listed run's picture; no row without a picture.
struct PictureDigest: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT picture.digest
      FROM track4run.publications AS publication
      JOIN track4run.runs AS run USING (run_id)
      JOIN track4run.pictures AS picture USING (run_id)
     WHERE publication.code = \(\.code)
       AND run.cancelled_at IS NULL
    """
  let code: String
}

/// The picture of a listed run; no row without a picture.
struct PictureOfRun: Statement {
  struct Row: Sendable {
    let kind: Int16
    let bytes: [UInt8]
    let digest: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT picture.kind, picture.bytes, picture.digest
      FROM track4run.publications AS publication
      JOIN track4run.runs AS run USING (run_id)
      JOIN track4run.pictures AS picture USING (run_id)
     WHERE publication.code = \(\.code)
       AND run.cancelled_at IS NULL
    """
  static let columns = Columns(Row.init)
  let code: String
}
