import Foundation
import Operations

/// Checks that a disk has room for a new database. Without enough space PostgreSQL's programs fail
/// halfway, and not always with a clear message.
package enum FreeSpace {
  /// A first start writes 85 MB, and its first logs and checkpoints write about the same again.
  package static let megabytesMin = 200

  /// Checks the disk of an existing directory.
  ///
  /// - Throws: an error with the free and the required space.
  package static func check(_ directory: String) throws(StartError) {
    let free: Any?
    do {
      free = try FileManager.default.attributesOfFileSystem(forPath: directory)[.systemFreeSize]
    } catch {
      throw StartError("\(directory) can't be inspected: \(error.localizedDescription)")
    }
    // If the file system does not report free space, the start has to try.
    guard let free = free as? NSNumber else { return }
    try check(directory, megabytesFree: free.uint64Value >> 20)
  }

  /// The same check for a disk with this much free space.
  package static func check(_ directory: String, megabytesFree: UInt64) throws(StartError) {
    guard megabytesFree < megabytesMin else { return }
    throw StartError(
      "\(directory) has room for \(megabytesFree) MB, and a new database needs \(megabytesMin):"
        + " make room, or choose another place with TRACKME_STATE.")
  }
}
