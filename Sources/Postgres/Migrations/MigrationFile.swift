import CLinux
import EventLoop
import Operations

/// A migration file: its number, name and text.
package struct MigrationFile: Sendable, Hashable {
  /// The number at the start of the name, from 1.
  package let number: Int
  /// The file's name.
  package let name: String
  /// The SQL.
  package let text: String

  /// Creates a migration from its parts.
  package init(number: Int, name: String, text: String) {
    self.number = number
    self.name = name
    self.text = text
  }

  /// The number that a running process must know at least to work with the schema after this
  /// migration, by a line such as `-- Needs: programs of 0017`; nil if the version before works
  /// with it.
  package var programsMin: Int? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(Self.needs) }
    return line.flatMap { Int($0.dropFirst(Self.needs.count).prefix(4)) }
  }

  private static let needs = "-- Needs: programs of "
  private static let bytesMax = 16 << 20

  /// The migrations in a directory, in order: the files `NNNN_name.sql`.
  ///
  /// Throws `.unreadable`, `.misnamed` for another name that ends in `.sql`, and `.gap` or
  /// `.numberTwice` unless the numbers are consecutive from 1.
  package static func all(in directory: String) throws(MigrationError) -> [MigrationFile] {
    var files: [MigrationFile] = []
    for name in try names(in: directory) where name.hasSuffix(".sql") {
      guard let number = number(of: name) else { throw .misnamed(name) }
      let sql = try withReferences(text(of: name, directory), directory)
      files.append(MigrationFile(number: number, name: name, text: sql))
    }
    return try inOrder(files)
  }

  private static func text(
    of name: String, _ directory: String
  ) throws(MigrationError) -> String {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.read("\(directory)/\(name)", bytesMax: bytesMax)
    } catch {
      throw .unreadable("\(name): \(error)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unreadable("\(name) is not UTF-8")
    }
    return text
  }

  /// The SQL with each `:'reference/<file>'` replaced by the text of that file as a quoted value,
  /// which is psql's syntax for a variable. Such files are dated and never changed afterwards, like
  /// migrations.
  private static func withReferences(
    _ sql: String, _ directory: String
  ) throws(MigrationError) -> String {
    let parts = sql.split(separator: referenceMark, omittingEmptySubsequences: false)
    var text = String(parts[0])
    for part in parts.dropFirst() {
      guard let end = part.firstIndex(of: "'") else {
        throw .unreadable("the name of a reference file is not terminated")
      }
      let file = try Self.text(of: "reference/\(part[..<end])", directory)
      let doubled = file.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''")
      text += "'\(doubled)'\(part[part.index(after: end)...])"
    }
    return text
  }

  private static let referenceMark = ":'reference/"

  /// The files by number; throws `.gap` or `.numberTwice` unless the numbers are consecutive from
  /// 1.
  package static func inOrder(_ files: [MigrationFile]) throws(MigrationError) -> [MigrationFile] {
    let files = files.sorted { ($0.number, $0.name) < ($1.number, $1.name) }
    var last = 0
    for file in files {
      if file.number == last { throw .numberTwice(file.number) }
      if file.number != last + 1 { throw .gap(missing: last + 1, before: file.name) }
      last = file.number
    }
    return files
  }

  /// The number of a well-formed name: four digits, an underscore, lower-case words, `.sql`.
  package static func number(of name: String) -> Int? {
    let parts = name.dropLast(4).split(
      separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 4, !parts[1].isEmpty,
      parts[0].utf8.allSatisfy({ (48...57).contains($0) }),
      parts[1].utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 95 })
    else { return nil }
    return Int(parts[0])
  }

  private static func names(in directory: String) throws(MigrationError) -> [String] {
    guard let stream = unsafe opendir(directory) else {
      throw .unreadable("\(directory): \(SystemError.last("opendir"))")
    }
    // SAFETY: the stream is closed once, here; an entry is copied before the next one is read.
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      names.append(name)
    }
    return names
  }
}
