import Foundation
import Support
import Testing

/// The programs of `Tests/Browser`.
enum BrowserProgram {
  /// Check-in also opens shortly before midnight for a run that begins after it.
  /// Single requests are free, and groups are paid at the local broker.
  static let settings = ["TRACKME_CHECKIN_OPENS": "7200", "TRACKME_PRICE_GROUP": "2500"]

  /// Runs a program to its end, behind the other tests.
  static func run(_ name: String, in system: TestSystem) async throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let outcome = try await system.run(
      "nice", "-n", "5", TestSystem.python, "-B", "\(tests.path)/Browser/\(name).py",
      system.directory, TestSystem.programs, "\(TestSystem.testState)/tests/browser")
    #expect(outcome.isSuccess, "\(outcome.output)")
  }
}
