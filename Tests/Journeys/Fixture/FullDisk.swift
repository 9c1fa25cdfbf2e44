import Foundation

/// Simulates a full disk for a system's database by FullDisk.c, preloaded into its server.
struct FullDisk {
  private let library: PreloadedLibrary

  init() async throws { library = try await PreloadedLibrary("FullDisk") }

  /// The settings for a system that uses it.
  var settings: [String: String] { library.settings }

  func fill(of system: TestSystem) throws {
    guard FileManager.default.createFile(atPath: Self.mark(of: system), contents: nil) else {
      throw FixtureProblem("\(Self.mark(of: system)) can't be created.")
    }
  }

  func free(of system: TestSystem) throws {
    try FileManager.default.removeItem(atPath: Self.mark(of: system))
  }

  func remove() throws { try library.remove() }

  private static func mark(of system: TestSystem) -> String {
    system.state + "/postgres/disk-is-full"
  }
}
