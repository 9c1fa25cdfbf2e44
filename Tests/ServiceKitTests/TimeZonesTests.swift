import Domain
import Foundation
import Operations
import ServiceKit
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

  @Test("a file that can't be read, or is damaged, is logged once; a missing one is not")
  func unreadable() throws {
    let directory = FileManager.default.temporaryDirectory.path + "/zones-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileSystem.makeDirectories(directory)
    try FileManager.default.createSymbolicLink(
      atPath: "\(directory)/Loop", withDestinationPath: "Loop")
    let rome = try FileSystem.read("\(TimeZones.directory)/Europe/Rome", bytesMax: 1 << 16)
    try FileSystem.writeAtomically("\(directory)/Cut", Array(rome.prefix(60)))
    let names = ["Atlantis", "Loop", "Loop", "Cut"]
    for (known, count) in [(names.prefix(1), 0), (names[1...2], 1), (names.suffix(1), 1)] {
      let recorder = LogRecorder()
      let zones = TimeZones(
        standardName: "UTC", standard: .utc, in: directory,
        log: Log(process: "test", sink: recorder.sink))
      for name in known { #expect(zones.rules(named: name) == nil) }
      #expect(recorder.lines.count { $0.contains("read time zone failed") } == count, "\(known)")
    }
  }

  @Test("without a choice, or with an uninstalled zone, the installation's zone applies")
  func standard() {
    #expect(zones.locale(language: nil, zoneName: nil).zoneName == "UTC")
    #expect(zones.locale(language: nil, zoneName: nil).language == .italian)
    #expect(zones.locale(language: .english, zoneName: "Europe/Atlantis").zoneName == "UTC")
    #expect(zones.locale(language: .english, zoneName: "Asia/Tokyo").zoneName == "Asia/Tokyo")
  }
}
