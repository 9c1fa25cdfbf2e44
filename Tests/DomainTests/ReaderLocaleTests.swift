import Domain
import Requirements
import Testing
import Time

@Suite("times in a reader's language and zone")
struct ReaderLocaleTests {
  private static func locale(_ language: Language, _ name: String) throws -> ReaderLocale {
    ReaderLocale(language: language, zoneName: name, zone: try TimeZoneTests.rules(name))
  }

  @Test(
    "a time is written with day, minute and zone", .tags(.NTF_3),
    arguments: [
      (Language.italian, "Europe/Rome", "2026-11-22T13:32:59Z", "22 novembre 2026, 14:32"),
      (.english, "Europe/Rome", "2026-07-01T22:05:00Z", "2 July 2026, 00:05"),
      (.italian, "Europe/Rome", "2026-04-30T22:05:00Z", "1 maggio 2026, 00:05"),
      (.english, "America/New_York", "2026-01-01T04:59:00Z", "31 December 2025, 23:59"),
      (.italian, "Asia/Kathmandu", "2026-02-28T18:15:00Z", "1 marzo 2026, 00:00"),
      (.english, "Europe/Rome", "1865-12-31T23:10:00Z", "31 December 1865, 23:59"),
    ])
  func text(_ language: Language, _ zone: String, _ time: String, _ expected: String) throws {
    let locale = try Self.locale(language, zone)
    #expect(try locale.text(Instant(time)) == "\(expected) (\(zone))")
  }

  @Test("a deadline in seconds is written to the second", .tags(.NTF_3))
  func seconds() throws {
    let rome = try Self.locale(.italian, "Europe/Rome")
    #expect(
      try rome.textToSecond(Instant("2026-11-22T13:32:05Z"))
        == "22 novembre 2026, 14:32:05 (Europe/Rome)")
    let old = try Self.locale(.english, "Europe/Rome")
    #expect(
      try old.textToSecond(Instant("1865-12-31T23:10:00Z"))
        == "31 December 1865, 23:59:56 (Europe/Rome)")
  }
}
