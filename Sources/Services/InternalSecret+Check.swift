import HTTP
import Privacy
import PublicAPI

extension InternalSecret {
  /// Refuses what does not come from one of our own processes, as if the path did not exist.
  ///
  /// - Throws: 404.
  func check(_ fields: HTTPFields) throws(Problem) {
    guard let value = fields[InternalField.secret], matches(value.utf8.span) else {
      throw .notFound
    }
  }
}
