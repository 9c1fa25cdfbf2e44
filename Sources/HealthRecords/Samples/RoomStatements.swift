import Domain
import Postgres

/// Drops the oldest chunks of an account until `bytes` are free, but never the one with the newest
/// sample; returns the numbers of dropped samples and bytes.
///
/// Reads only the oldest `depth` chunks of each type, so that the cost for an account that is
/// always full depends on the dropped chunks and not on all its data; drops no chunk newer than one
/// it has not read. Repeat it until enough bytes are free or a call drops none.
struct DropOldestChunks: Statement {
  struct Row: Sendable {
    let samples: Int64
    let bytes: Int64
  }
  static let sql: SQL<Self> = """
    WITH candidates AS (
      SELECT asked.type, oldest.day, oldest.part, oldest.last_ts, oldest.bytes
        FROM unnest(\(\.types)) AS asked (type)
       CROSS JOIN LATERAL (
               SELECT day, part, last_ts, octet_length(data) AS bytes
                 FROM chunks
                WHERE chunks.account_id = \(\.account)
                  AND chunks.type = asked.type
                ORDER BY day, part
                LIMIT \(\.depth)) AS oldest),
    horizon AS (
      SELECT min(day) AS day
        FROM (SELECT max(day) AS day
                FROM candidates
               GROUP BY type
              HAVING count(*) = \(\.depth)) AS cut),
    aged AS (
      SELECT type, day, part,
             sum(bytes) OVER (ORDER BY day, last_ts, type, part
                              ROWS UNBOUNDED PRECEDING) - bytes AS older_bytes,
             last_ts = max(last_ts) OVER () AS is_newest
        FROM candidates),
    dropped AS (
      DELETE FROM chunks
       USING aged, horizon
       WHERE chunks.account_id = \(\.account)
         AND chunks.type = aged.type
         AND chunks.day = aged.day
         AND chunks.part = aged.part
         AND aged.older_bytes < \(\.bytes)
         AND NOT aged.is_newest
         AND (horizon.day IS NULL OR aged.day <= horizon.day)
      RETURNING chunks.type, chunks.day, chunks.n, octet_length(chunks.data) AS bytes),
    marked AS (
      INSERT INTO data4help.month_dirty (account_id, type, month, marks)
      SELECT DISTINCT \(\.account), type,
             ((extract(year FROM date '1970-01-01' + day) - 1970) * 12
               + extract(month FROM date '1970-01-01' + day) - 1)::int4,
             1
        FROM dropped
       WHERE day < \(\.firstOpenDay)
         AND type = ANY (\(\.numericTypes))
          ON CONFLICT (account_id, type, month) DO UPDATE
         SET marks = month_dirty.marks + 1)
    SELECT coalesce(sum(n), 0)::int8, coalesce(sum(bytes), 0)::int8 FROM dropped
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let bytes: Int64
  let firstOpenDay: Int32
  let types = DataType.allCases
  let numericTypes = DataType.allCases.filter(\.isNumeric)

  /// The chunks to read of each type: a few for an upload, more for an import.
  var depth: Int64 { max(8, bytes / 500) }
}

/// Subtracts dropped chunks from the used room, and removes types without chunks.
struct FreeRoom: Statement {
  static let sql: SQL<Self> = """
    UPDATE sample_accounts
       SET bytes_used = bytes_used - \(\.bytes),
           stored_types = (
             SELECT coalesce(bit_or(1::int8 << asked.type::int4), 0)
               FROM unnest(\(\.types)) AS asked (type)
              WHERE EXISTS (SELECT FROM chunks
                             WHERE chunks.account_id = \(\.account)
                               AND chunks.type = asked.type))
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let bytes: Int64
  let types = DataType.allCases
}
