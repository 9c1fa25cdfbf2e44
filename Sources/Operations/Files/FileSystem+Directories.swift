import CLinux
import EventLoop

extension FileSystem {
  /// The names in a directory, sorted, without hidden ones.
  ///
  /// - Throws: `SystemError` of `opendir`; `ENOTDIR` for a file of a different type.
  package static func names(in directory: String) throws(SystemError) -> [String] {
    guard let stream = unsafe opendir(directory) else { throw .last("opendir") }
    // SAFETY: the stream is closed once, here; an entry is copied before the next one is read.
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Removes what killed processes have left of replacements of the file at `path`
  /// (``writeAtomically(_:_:mode:owner:)``).
  ///
  /// - Throws: `SystemError`.
  package static func removeUnfinished(of path: String) throws(SystemError) {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { String(path[...$0]) } ?? "./"
    let start = "\(slash.map { String(path[path.index(after: $0)...]) } ?? path).new."
    for name in try names(in: directory)
    where name.hasPrefix(start) && name.dropFirst(start.count).allSatisfy(\.isWholeNumber) {
      try remove("\(directory)\(name)")
    }
  }

  /// All files below a directory by their path in it. Hidden files are skipped.
  ///
  /// - Throws: `SystemError`; `EFBIG` when a file has more than `bytesMax` bytes, `ELOOP` when
  ///   directories are nested more than `depthMax` times, as by a link to a parent.
  package static func files(
    below directory: String, bytesMax: Int, depthMax: Int = 8
  ) throws(SystemError) -> [String: [UInt8]] {
    let names = try Self.names(in: directory)
    guard depthMax > 0 else { throw SystemError(call: "opendir", code: ELOOP) }
    var files: [String: [UInt8]] = [:]
    for name in names {
      let path = "\(directory)/\(name)"
      do throws(SystemError) {
        let inner = try Self.files(below: path, bytesMax: bytesMax, depthMax: depthMax - 1)
        for (rest, bytes) in inner { files["\(name)/\(rest)"] = bytes }
      } catch {
        guard error.code == ENOTDIR else { throw error }
        files[name] = try read(path, bytesMax: bytesMax)
      }
    }
    return files
  }
}
