import Requirements
import Testing

/// People and companies who use the web pages in Chromium. Each test runs a program of
/// `Tests/Browser`, which fails on an error in the console, a missing text, a violation of the
/// pages' policy, a page wider than its window, a fault of accessibility, and a refusal or a fault
/// that it does not expect.
///
/// With those of `BrowserRunJourney`, which run beside these on another installation, they are a
/// section of their own in `make test`, and `make browser` runs them alone. A failure leaves the
/// picture and the console of each window in `tests/browser` of the state directory.
@Suite("The web pages in a browser", .serialized)
struct BrowserJourney {
  /// A minute to abort an emergency, which is enough on a busy machine.
  static let system = Task {
    try await TestSystem(BrowserProgram.settings.merging(["TRACKME_SOS_ABORT": "60"]) { $1 })
  }

  @Test(
    "a person reads the tutorial, signs up, sees sixty days, enters a value, changes the language",
    .tags(.UI_1, .UI_2, .UI_3, .NFR_8), .timeLimit(.minutes(20)))
  func person() async throws { try await perform("person") }

  @Test(
    "a person imports an export, pairs a phone, edits settings, downloads everything and leaves",
    .tags(.UI_4, .UI_6, .UI_22, .DAT_6), .timeLimit(.minutes(20)))
  func account() async throws { try await perform("account") }

  @Test(
    "a person accepts a part of a company's request, which follows the data until the end",
    .tags(.UI_5, .UI_6, .UI_7, .UI_8), .timeLimit(.minutes(20)))
  func consent() async throws { try await perform("consent") }

  @Test(
    "a company asks a person and a group, pays, creates a key, and rotates a callback's secret",
    .tags(.UI_7, .UI_8, .UI_18, .UI_21), .timeLimit(.minutes(20)))
  func company() async throws { try await perform("company") }

  @Test(
    "a runner finds a run near her, opens it by QR code, link and code, and shares her result",
    .tags(.UI_9, .UI_11, .RUN_10), .timeLimit(.minutes(20)))
  func runner() async throws { try await perform("runner") }

  @Test(
    "a phone's tachycardia covers the page with a countdown and a siren, which one touch aborts",
    .tags(.UI_3, .UI_13, .UI_19, .SOS_4), .timeLimit(.minutes(20)))
  func emergency() async throws { try await perform("emergency") }

  @Test(
    "the switch of notifications subscribes and ends, and the service worker shows a message",
    .tags(.NTF_2), .timeLimit(.minutes(20)))
  func push() async throws { try await perform("push") }

  @Test(
    "each message of the use cases of people appears, and its form stays as it was filled",
    .tags(.UI_5, .UI_16, .UI_17, .UI_22), .timeLimit(.minutes(20)))
  func messages() async throws { try await perform("messages_person") }

  @Test(
    "pages keep what was typed and continue by themselves after cuts, restarts and refusals",
    .tags(.UI_14, .UI_19), .timeLimit(.minutes(20)))
  func faults() async throws { try await perform("faults") }

  @Test(
    "markup in every field stays text, other origins change nothing, one logout ends all tabs",
    .tags(.NFR_5), .timeLimit(.minutes(20)))
  func security() async throws { try await perform("security") }

  @Test(
    "values entered without a connection are kept, and sent once when it is back",
    .tags(.UI_6, .UI_14), .timeLimit(.minutes(20)))
  func offline() async throws { try await perform("offline") }

  @Test(
    "a map shows tiles that TrackMe fetched, with the note on their rights", .tags(.UI_11),
    .timeLimit(.minutes(20)))
  func tiles() async throws {
    let server = try await TileServerProcess()
    defer { server.stop() }
    let system = try await TestSystem(server.settings)
    try await perform("tiles", in: system)
    #expect(try server.requests().count > 3)
    await system.stop()
  }

  @Test(
    "the templates of privacy policy and terms are read in both languages and accepted at sign-up",
    .tags(.ACC_2, .UI_22, .NFR_6), .timeLimit(.minutes(20)))
  func documents() async throws {
    let system = try await TestSystem(["TRACKME_DOCUMENTS": "templates"])
    try await perform("documents", in: system)
    await system.stop()
  }

  @Test(
    "the help, the logos and the large type of an emergency are there",
    .tags(.UI_12, .UI_13, .UI_15), .timeLimit(.minutes(20)))
  func reach() async throws { try await perform("reach") }

  private func perform(_ name: String, in given: TestSystem? = nil) async throws {
    let system = if let given { given } else { try await Self.system.value }
    try await BrowserProgram.run(name, in: system)
  }
}
