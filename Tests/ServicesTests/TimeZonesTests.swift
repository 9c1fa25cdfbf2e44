import Domain
import Services
import Testing

@Suite("installed time zones")
struct TimeZonesTests {
  let zones = TimeZones(standardName: "UTC", standard: .utc)

  @Test(
    "zones of the IANA database are found by name",
    arguments: ["Europe/Rome", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC"])
  func known(_ name: String) { #expect(zones.rules(named: name) != nil) }

  @Test(
    "nothing but an installed zone has rules",
    arguments: [
      "", "Europe", "Europe/", "/Europe/Rome", "Europe//Rome", "../zoneinfo/Europe/Rome",
      "right/Europe/Rome", "posix/Europe/Rome", "localtime", "posixrules", "zone.tab",
      "leapseconds", "Europe/Atlantis", "Europe/Rome\0", String(repeating: "A", count: 65),
    ])
  func unknown(_ name: String) { #expect(zones.rules(named: name) == nil) }

  @Test("what was not chosen, or is not installed any more, is the installation's")
  func standard() {
    #expect(zones.locale(language: nil, zoneName: nil).zoneName == "UTC")
    #expect(zones.locale(language: nil, zoneName: nil).language == .italian)
    #expect(zones.locale(language: .english, zoneName: "Europe/Atlantis").zoneName == "UTC")
    #expect(zones.locale(language: .english, zoneName: "Asia/Tokyo").zoneName == "Asia/Tokyo")
  }
}
