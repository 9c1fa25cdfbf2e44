import Foundation
import Requirements
import Testing

/// People and companies who use the web pages in Chromium. Each test runs a program of
/// `Tests/Browser`, which fails on an error in the console, a missing text, a violation of the
/// pages' policy, a page wider than its window, a serious fault of accessibility, and a refusal
/// or a fault that it does not expect.
///
/// `make browser` installs Chromium and runs them; `make test` skips them.
@Suite(
  "The web pages in a browser", .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["TRACKME_BROWSER"] != nil,
    "`make browser` runs the journeys in Chromium"))
struct BrowserJourney {
  /// A minute to abort an emergency, which is enough on a busy machine. Check-in also opens shortly
  /// before midnight for a run that begins after it.
  /// Single requests are free, and groups are paid at the local broker.
  static let system = Task {
    try await TestSystem([
      "TRACKME_SOS_ABORT": "60", "TRACKME_CHECKIN_OPENS": "600", "TRACKME_PRICE_GROUP": "2500",
    ])
  }

  // One visit from the first page to the settings: each page is reached from the previous one.
  @Test(
    "a person reads the tutorial, signs up, enters a value and changes the language",
    .tags(.UI_1, .UI_2, .UI_3, .UI_4, .UI_22), .timeLimit(.minutes(20)))
  func person() async throws { try await perform("person") }

  @Test(
    "a person accepts a part of a company's request, which follows the data until the end",
    .tags(.UI_5, .UI_6, .UI_7, .UI_8), .timeLimit(.minutes(20)))
  func consent() async throws { try await perform("consent") }

  @Test(
    "a company asks a person and a group, pays, makes a key, and rotates a callback's secret",
    .tags(.UI_7, .UI_8, .UI_18, .UI_21), .timeLimit(.minutes(20)))
  func company() async throws { try await perform("company") }

  @Test(
    "a dangerous heart rate covers the page with a countdown, which one touch aborts",
    .tags(.UI_3, .UI_13, .UI_19), .timeLimit(.minutes(20)))
  func emergency() async throws { try await perform("emergency") }

  @Test(
    "an organiser draws and prints a run, a runner joins, spectators watch a thousand runners",
    .tags(.UI_9, .UI_10, .UI_11), .timeLimit(.minutes(20)))
  func run() async throws { try await perform("run") }

  @Test(
    "a hospital on duty receives a call on its board, takes it on and closes it",
    .tags(.UI_20), .timeLimit(.minutes(20)))
  func hospital() async throws { try await perform("hospital") }

  @Test(
    "every page fits a width of 320 px and has no serious fault of accessibility",
    .tags(.NFR_8, .UI_12, .UI_14), .timeLimit(.minutes(30)))
  func pages() async throws { try await perform("pages") }

  @Test(
    "markup in every field stays text, other origins change nothing, one logout ends all tabs",
    .tags(.NFR_5), .timeLimit(.minutes(20)))
  func security() async throws { try await perform("security") }

  @Test("the keyboard alone logs in and accepts a request", .tags(.NFR_8), .timeLimit(.minutes(20)))
  func keyboard() async throws { try await perform("keyboard") }

  /// Runs a program to its end, behind the other tests.
  private func perform(_ name: String) async throws {
    let system = try await Self.system.value
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let outcome = try await system.run(
      "nice", "-n", "5", TestSystem.python, "-B", "\(tests.path)/Browser/\(name).py",
      system.directory, TestSystem.programs)
    #expect(outcome.isSuccess, "\(outcome.output)")
  }
}
