import Domain
import Foundation
import Requirements
import Support
import Testing
import Time

@Suite("times and dates")
struct InstantTests {
  @Test(
    "a time of RFC 3339 is parsed to the millisecond and written in UTC",
    arguments: [
      ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
      ("2024-02-06T14:30:00+01:00", 1_707_226_200_000, "2024-02-06T13:30:00Z"),
      ("2024-02-06t14:30:00.25z", 1_707_229_800_250, "2024-02-06T14:30:00.250Z"),
      ("1969-12-31T23:59:59.999Z", -1, "1969-12-31T23:59:59.999Z"),
      ("2024-02-29T00:00:00.123456789-00:00", 1_709_164_800_123, "2024-02-29T00:00:00.123Z"),
      ("0001-01-01T00:00:00Z", -62_135_596_800_000, "0001-01-01T00:00:00Z"),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      ("2016-12-31T23:59:60Z", 1_483_228_799_999, "2016-12-31T23:59:59.999Z"),
      ("2017-01-01T00:59:60.5+01:00", 1_483_228_799_999, "2016-12-31T23:59:59.999Z"),
    ] as [(String, Int64, String)])
  func reads(_ text: String, _ milliseconds: Int64, _ written: String) throws {
    let time = try Instant(text)
    #expect(time.millisecondsSince1970 == milliseconds)
    #expect(time.description == written)
    #expect(try Instant(written) == time)
  }

  @Test(
    "malformed: any other form of a time is rejected",
    arguments: [
      "", "2024-02-06", "2024-02-06T14:30:00", "2024-02-06 14:30:00Z", "2024-02-06T14:30Z",
      "2024-02-06T14:30:00.Z", "2024-02-06T14:30:00.1234567890Z", "2024-02-06T14:30:00+0100",
      "2024-02-06T14:30:00+01", "2024-02-06T14:30:00Z ", " 2024-02-06T14:30:00Z",
      "2024-2-06T14:30:00ZZ", "2024-02-06T14:30:00.5", "24-02-06T14:30:00+01:00",
      "-024-02-06T14:30:00Z", "2024-02-06T14:30:00+01:00Z", "2024-02-06T14:30:00.12",
    ])
  func malformed(_ text: String) {
    #expect(throws: InstantError.malformed) { try Instant(text) }
  }

  @Test(
    "noSuchTime: days, hours and offsets that do not exist are rejected",
    arguments: [
      "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z",
      "2024-04-31T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
      "2024-01-01T00:00:61Z", "2024-01-01T12:00:60Z", "2024-01-01T00:00:00+24:00",
      "2024-01-01T00:00:00+01:60", "0000-01-01T00:00:00Z", "2024-01-15T23:59:60Z",
    ])
  func noSuchTime(_ text: String) {
    #expect(throws: InstantError.noSuchTime) { try Instant(text) }
  }

  @Test("the error for midnight written as 24:00 explains how to write it")
  func midnight() {
    let error = #expect(throws: InstantError.self) { try Instant("2024-02-06T24:00:00Z") }
    #expect(error?.description.contains("midnight is T00:00:00") == true)
  }

  @Test("outOfRange: an offset can't exceed the years 1 to 9999")
  func outOfRange() {
    #expect(throws: InstantError.outOfRange) { try Instant("0001-01-01T00:00:00+00:01") }
    #expect(throws: InstantError.outOfRange) { try Instant("9999-12-31T23:59:59-00:01") }
  }

  @Test("every time is unchanged after writing and parsing, and agrees with Foundation")
  func roundTrip() throws {
    var random = SeededRandom()
    let formatter = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for _ in 0..<2000 {
      let milliseconds = Int64.random(
        in: -62_135_596_800_000...253_402_300_799_999, using: &random)
      let time = Instant(millisecondsSince1970: milliseconds)
      #expect(try Instant(time.description) == time)
      if milliseconds > -5_000_000_000_000, milliseconds % 1000 != 0 {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        #expect(formatter.format(date).prefix(19) == time.description.prefix(19))
      }
    }
  }

  @Test("arithmetic is clamped to the range instead of overflowing")
  func saturates() {
    #expect(Instant.lastWritable.adding(milliseconds: 1) == .lastWritable)
    #expect(Instant.lastWritable.adding(seconds: .max) == .lastWritable)
    #expect(Instant.firstWritable.adding(milliseconds: .min) == .firstWritable)
    #expect(Instant(millisecondsSince1970: .max) == .lastWritable)
    #expect(CalendarDate.last.adding(days: 1) == .last)
    #expect(CalendarDate.first.adding(days: .min) == .first)
    #expect(CalendarDate(daysSince1970: .max) == .last)
  }

  @Test(
    "an instant is rounded down to milliseconds, in the years 1 to 9999",
    arguments: [
      (0, 0, 0), (999, 0, 0), (1000, 1, 0), (-1, -1, -1), (-1000, -1, -1), (-1001, -2, -1),
      (1_999_999, 1999, 1), (-1_000_000, -1000, -1), (-1_000_001, -1001, -2),
      (.max, 253_402_300_799_999, 253_402_300_799), (.min, -62_135_596_800_000, -62_135_596_800),
    ] as [(Int64, Int64, Int64)])
  func floors(_ microseconds: Int64, _ milliseconds: Int64, _ seconds: Int64) {
    let time = Instant(microsecondsSince1970: microseconds)
    let floored = time.flooredToMilliseconds
    #expect(floored == Instant(millisecondsSince1970: milliseconds))
    #expect(floored.microsecondsSince1970 == milliseconds * 1000)
    #expect(time.secondsSince1970 == seconds)
    #expect(time.description == floored.description)
  }

  @Test("durations after an extreme stay at the extreme")
  func extremes() {
    #expect(Instant.infinity + .seconds(1) == .infinity)
    #expect(Instant.negativeInfinity - .seconds(1) == .negativeInfinity)
    #expect(Instant.infinity - .microseconds(1) < .infinity)
  }

  @Test("a date is exactly YYYY-MM-DD of an existing day")
  func dates() throws {
    #expect(try CalendarDate("1970-01-01").daysSince1970 == 0)
    #expect(try CalendarDate("2000-02-29").daysSince1970 == 11_016)
    #expect(try CalendarDate("0001-01-01") == .first)
    #expect(try CalendarDate("9999-12-31") == .last)
    for text in ["", "1970-1-01", "1970/01/01", "1970-01-01 ", "19700101", "1970-01-0a"] {
      #expect(throws: CalendarDateError.malformed) { try CalendarDate(text) }
    }
    for text in ["1900-02-29", "2023-00-10", "2023-13-01", "2023-01-00", "0000-01-01"] {
      #expect(throws: CalendarDateError.noSuchDay) { try CalendarDate(text) }
    }
  }

  @Test("every day from 1583 to 2500 follows the previous one, with its weekday")
  func everyDay() throws {
    var day = try CalendarDate("1583-01-01")
    var (year, month, dayOfMonth) = day.components
    #expect(day.weekday == 6)
    while year < 2500 {
      let next = day.adding(days: 1)
      let isLastOfMonth = dayOfMonth == CalendarDate.days(inMonth: month, year: year)
      (year, month, dayOfMonth) =
        isLastOfMonth
        ? (month == 12 ? (year + 1, 1, 1) : (year, month + 1, 1)) : (year, month, dayOfMonth + 1)
      guard next.components == (year, month, dayOfMonth), next.weekday == day.weekday % 7 + 1,
        try CalendarDate(year: year, month: month, day: dayOfMonth) == next
      else {
        Issue.record("\(day) is not followed by \(next)")
        return
      }
      day = next
    }
  }

  @Test("a subscription lasts one second to ten years", .tags(.R20))
  func durations() throws {
    #expect(try RequestDuration(seconds: 1) == .shortest)
    #expect(throws: RequestDurationError.tooShort) { try RequestDuration(seconds: 0) }
    #expect(try RequestDuration(seconds: 315_576_000) == .longest)
    #expect(throws: RequestDurationError.tooLong) { try RequestDuration(seconds: 315_576_001) }
  }

  @Test("the times of Apple's exports are parsed", .tags(.DAT_6))
  func apple() throws {
    #expect(
      try Instant(appleExport: "2024-02-06 14:30:00 -0800") == Instant("2024-02-06T22:30:00Z"))
    #expect(
      try Instant(appleExport: "2024-02-06 14:30:00 +0530") == Instant("2024-02-06T09:00:00Z"))
    for text in [
      "", "2024-02-06 14:30:00", "2024-02-06T14:30:00 -0800", "2024-02-06 14:30:00 0800 ",
    ] {
      #expect(throws: InstantError.malformed) { try Instant(appleExport: text) }
    }
    #expect(throws: InstantError.noSuchTime) {
      try Instant(appleExport: "2024-02-30 14:30:00 +0000")
    }
    #expect(throws: InstantError.outOfRange) {
      try Instant(appleExport: "0001-01-01 00:00:00 +0100")
    }
  }
}
