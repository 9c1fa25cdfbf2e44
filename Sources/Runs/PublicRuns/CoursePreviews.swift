import Domain
import Postgres
import ServiceKit

/// A cache of recently requested course previews. One per loop.
final class CoursePreviews {
  /// The largest number of cached previews, of some 10 kB each.
  private static let keptMax = 256

  private var drawn = RecentlyUsed<EntityTag, [UInt8]>(countMax: keptMax)

  /// The picture of a path whose content has this tag.
  func png(_ tag: EntityTag, of path: @autoclosure () -> RunPath) -> [UInt8] {
    if let known = drawn[tag] { return known }
    let png = CoursePreview.png(of: path())
    drawn[tag] = png
    return png
  }

  /// The cached picture with a tag.
  subscript(tag: EntityTag) -> [UInt8]? { drawn[tag] }
}

/// The digest of a listed run's path; no row for an unknown code.
struct PublicPathDigest: Statement {
  struct Row: Sendable {
    let runID: Int64
    let digest: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT path.run_id, sha256(postgis.ST_AsBinary(path.path))
      FROM track4run.publications AS publication
      JOIN track4run.runs AS run USING (run_id)
      JOIN track4run.paths AS path USING (run_id)
     WHERE publication.code = \(\.code)
       AND run.cancelled_at IS NULL
    """
  static let columns = Columns(Row.init)
  let code: String
}

extension PublicPathDigest.Row {
  /// The entity tag of the path's preview.
  var tag: EntityTag { EntityTag(of: digest + [CoursePreview.edition]) }
}
