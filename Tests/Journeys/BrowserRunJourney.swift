import Requirements
import Testing

/// Organisers, emergencies of hospitals, and every page in a browser, as `BrowserJourney` says.
/// These journeys wait for starts, ends and calls, while the others run.
@Suite("Organisers, hospitals and every page in a browser", .serialized)
struct BrowserRunJourney {
  /// Help is called after the usual five seconds: no journey here aborts an emergency.
  static let system = Task { try await TestSystem(BrowserProgram.settings) }

  @Test(
    "an organiser draws and prints a run, a runner joins, spectators watch a thousand runners",
    .tags(.UI_9, .UI_10, .UI_11), .timeLimit(.minutes(20)))
  func run() async throws { try await perform("run") }

  @Test(
    "a hospital on duty hears a call within a second, acknowledges and closes it; its board lasts",
    .tags(.UI_20, .SOS_2), .timeLimit(.minutes(20)))
  func hospital() async throws { try await perform("hospital") }

  // In both languages and colour schemes, from 320 px to 1280 px, without motion, and in the
  // system's colours.
  @Test(
    "every page fits its window and has no fault of accessibility in any language and scheme",
    .tags(.NFR_8, .UI_12, .UI_14, .UI_15), .timeLimit(.minutes(20)))
  func pages() async throws { try await perform("pages") }

  @Test(
    "the keyboard alone asks, accepts, publishes a run and answers an emergency",
    .tags(.NFR_8), .timeLimit(.minutes(20)))
  func keyboard() async throws { try await perform("keyboard") }

  @Test(
    "WebKit shows the main journey of a company, a person, a visitor and a hospital",
    .tags(.NFR_8, .UI_14), .timeLimit(.minutes(20)))
  func webKit() async throws { try await perform("webkit") }

  private func perform(_ name: String) async throws {
    try await BrowserProgram.run(name, in: Self.system.value)
  }
}
