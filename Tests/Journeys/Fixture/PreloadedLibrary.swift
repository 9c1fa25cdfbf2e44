import Foundation
import Support

/// A library in C next to this file, compiled for a test and preloaded into the processes of a
/// system (ld.so(8), LD_PRELOAD).
struct PreloadedLibrary {
  /// A new directory that every user can enter: the embedded database may run as another one.
  let directory: String
  private let library: String

  /// Compiles the source of this name with the C compiler that comes with Swift.
  init(_ name: String) async throws {
    directory = FileManager.default.temporaryDirectory.path + "/tmpl-\(UUID().uuidString)"
    library = directory + "/\(name).so"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o755])
    let source = URL(filePath: #filePath).deletingLastPathComponent().path + "/\(name).c"
    let outcome = try await Program(command: [
      try Self.compiler(), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source,
    ]).run()
    guard outcome.isSuccess else {
      throw FixtureProblem("\(name).c does not compile: \(outcome.output)")
    }
  }

  /// The settings for a system that uses it.
  var settings: [String: String] { ["LD_PRELOAD": library] }

  /// Removes its directory.
  func remove() throws { try FileManager.default.removeItem(atPath: directory) }

  private static func compiler() throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let places = path.split(separator: ":").map(String.init) + ["/opt/swift/usr/bin"]
    let compilers = places.map { $0 + "/clang" }
    guard let found = compilers.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw FixtureProblem("The clang of the Swift toolchain is not on the PATH.")
    }
    return found
  }
}
