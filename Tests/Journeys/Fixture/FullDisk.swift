import Foundation
import Support

/// Simulates a full disk for a system's database by FullDisk.c, preloaded into its server.
struct FullDisk {
  private let library: PreloadedLibrary

  init() async throws { library = try await PreloadedLibrary("FullDisk") }

  /// The settings for a system that uses it.
  var settings: [String: String] { library.settings }

  func fill(of system: TestSystem) throws {
    for mark in Self.marks(of: system) {
      guard FileManager.default.createFile(atPath: mark, contents: nil) else {
        throw FixtureProblem("\(mark) can't be created.")
      }
    }
  }

  func free(of system: TestSystem) throws {
    for mark in Self.marks(of: system) { try FileManager.default.removeItem(atPath: mark) }
  }

  func remove() throws { try library.remove() }

  private static func marks(of system: TestSystem) -> [String] {
    system.databaseHomes.map { $0 + "/disk-is-full" }
  }
}
