import Domain
import ServiceKit
import Time

// Texts of the page, in both languages.
extension RunPage {
  /// A text in both languages.
  static func both(_ italian: String, _ english: String) -> String {
    "\(italian) / <span lang=\"en\">\(english)</span>"
  }

  func time(_ time: Instant) -> String {
    "<time datetime=\"\(time.description)\">\(clock(time))</time>"
  }

  /// Day and minute in the time zone of the installation, with the zone: `01/06/2026 10:00 CEST`.
  func clock(_ time: Instant) -> String {
    let local = time.secondsSince1970 + Int64(zone.offsetSeconds(at: time))
    let minute = ((local % 86_400 + 86_400) % 86_400) / 60
    let (year, month, day) = zone.day(of: time).components
    return "\(Self.two(day))/\(Self.two(month))/\(year) "
      + "\(Self.two(Int(minute / 60))):\(Self.two(Int(minute % 60))) \(zoneText(at: time))"
  }

  /// The zone's abbreviation at an instant, or the offset of a zone without letters: `UTC+05:45`.
  private func zoneText(at time: Instant) -> String {
    if let name = zone.abbreviation(at: time), name.first?.isLetter == true { return name }
    let offset = zone.offsetSeconds(at: time)
    let minutes = abs(offset) / 60
    return "UTC\(offset < 0 ? "-" : "+")\(Self.two(minutes / 60)):\(Self.two(minutes % 60))"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// A length in kilometres with two decimals.
  static func kilometres(_ metres: Double) -> String {
    let hundredths = Int((metres / 10).rounded())
    return "\(hundredths / 100).\(two(hundredths % 100)) km"
  }

  /// Hours, minutes and seconds.
  static func duration(_ seconds: Int64) -> String {
    let seconds = Int(max(seconds, 0))
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}
