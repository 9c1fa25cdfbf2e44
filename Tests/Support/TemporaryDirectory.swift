import Foundation

/// Runs a body with the path of a new directory, and removes the directory.
///
/// - Throws: the errors of the body, else those of making and removing the directory.
package func withTemporaryDirectory(
  isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Void
) async throws {
  let files = FileManager.default
  let path = files.temporaryDirectory.path + "/test-\(UUID().uuidString)"
  try files.createDirectory(atPath: path, withIntermediateDirectories: false)
  let outcome: Result<Void, any Error>
  do { outcome = .success(try await body(path)) } catch { outcome = .failure(error) }
  let removal = Result { try files.removeItem(atPath: path) }
  try outcome.get()
  try removal.get()
}
