import Foundation

/// Simulates a full disk for a system's database by FullDisk.c, preloaded into its server.
struct FullDisk {
  private let directory: String
  private var library: String { directory + "/full-disk.so" }

  /// Compiles the library with the C compiler that comes with Swift.
  init() async throws {
    directory = FileManager.default.temporaryDirectory.path + "/tmfd-\(UUID().uuidString)"
    // The embedded database may run as another user, which must be able to load the library.
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o755])
    let source = URL(filePath: #filePath).deletingPathExtension().path + ".c"
    let outcome = try await Program(command: [
      try Self.compiler(), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source,
    ]).run()
    guard outcome.isSuccess else {
      throw FixtureProblem("FullDisk.c does not compile: \(outcome.output)")
    }
  }

  /// The settings for a system that uses it.
  var settings: [String: String] { ["LD_PRELOAD": library] }

  func fill(of system: TestSystem) throws {
    guard FileManager.default.createFile(atPath: Self.mark(of: system), contents: nil) else {
      throw FixtureProblem("\(Self.mark(of: system)) can't be created.")
    }
  }

  func free(of system: TestSystem) throws {
    try FileManager.default.removeItem(atPath: Self.mark(of: system))
  }

  func remove() throws { try FileManager.default.removeItem(atPath: directory) }

  private static func mark(of system: TestSystem) -> String {
    system.state + "/postgres/disk-is-full"
  }

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
