import Time

/// The language and time zone of the person or company for whom a text is written.
package struct ReaderLocale: Sendable {
  /// The language of the text.
  package let language: Language
  /// The name of the time zone in the IANA database, such as `Europe/Rome`.
  package let zoneName: String
  /// The rules of that time zone.
  package let zone: TimeZoneRules

  /// Creates a locale; `zone` contains the rules of the zone with this name.
  package init(language: Language, zoneName: String, zone: TimeZoneRules) {
    self.language = language
    self.zoneName = zoneName
    self.zone = zone
  }

  /// The same time zone with texts in another language.
  package func speaking(_ language: Language) -> ReaderLocale {
    ReaderLocale(language: language, zoneName: zoneName, zone: zone)
  }

  /// Day, minute and zone: `22 novembre 2026, 14:32 (Europe/Rome)`. Seconds are truncated.
  package func text(_ time: Instant) -> String { "\(date(time)), \(clock(time)) (\(zoneName))" }

  /// The same with seconds: `22 novembre 2026, 14:32:05 (Europe/Rome)`.
  package func textToSecond(_ time: Instant) -> String {
    let local = localSeconds(time)
    let second = local - floorDivide(local, 60) * 60
    return "\(date(time)), \(clock(time)):\(Self.two(second)) (\(zoneName))"
  }

  /// The day in the reader's zone: `22 novembre 2026`, `1 November 2026`, as in the Unicode CLDR
  /// and on the pages. `1°` would turn mails into quoted-printable, whose links break in two.
  package func date(_ time: Instant) -> String {
    let (year, month, day) = zone.day(of: time).components
    return "\(day) \(language.month(month)) \(year)"
  }

  /// Hour and minute in the reader's zone: `09:05`.
  package func clock(_ time: Instant) -> String {
    let local = localSeconds(time)
    let minute = (local - floorDivide(local, 86_400) * 86_400) / 60
    return "\(Self.two(minute / 60)):\(Self.two(minute % 60))"
  }

  private func localSeconds(_ time: Instant) -> Int64 {
    time.secondsSince1970 + Int64(zone.offsetSeconds(at: time))
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
