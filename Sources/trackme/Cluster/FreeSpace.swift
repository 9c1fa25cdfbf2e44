import Foundation
import Operations

/// Whether a disk has room for a database that is to be made: without, PostgreSQL's programs fail
/// halfway, and not always with a word of why.
package enum FreeSpace {
  /// A first start writes 85 MB, and its first logs and checkpoints as much again.
  package static let megabytesMin = 200

  /// Looks at the disk of a directory that is there.
  ///
  /// - Throws: how much is free and how much is needed.
  package static func check(_ directory: String) throws(StartError) {
    let free: Any?
    do {
      free = try FileManager.default.attributesOfFileSystem(forPath: directory)[.systemFreeSize]
    } catch {
      throw StartError("\(directory) can't be looked at: \(error.localizedDescription)")
    }
    // A file system that does not say has to be tried.
    guard let free = free as? NSNumber else { return }
    try check(directory, megabytesFree: free.uint64Value >> 20)
  }

  /// The same, of a disk that has so much room.
  package static func check(_ directory: String, megabytesFree: UInt64) throws(StartError) {
    guard megabytesFree < megabytesMin else { return }
    throw StartError(
      "\(directory) has room for \(megabytesFree) MB, and a new database needs \(megabytesMin):"
        + " make room, or choose another place with TRACKME_STATE.")
  }
}
