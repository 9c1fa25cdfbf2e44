import Domain
import Requirements
import Runs
import Testing
import XML

@Suite("Paths of runs from GPX files")
struct GPXPathTests {
  private static func file(_ content: String, version: String = "1.1") -> [UInt8] {
    let space = "http://www.topografix.com/GPX/\(version.replacing(".", with: "/"))"
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="\(version)" creator="test" xmlns="\(space)">
      <metadata><bounds minlat="1" minlon="1" maxlat="2" maxlon="2"/></metadata>
      \(content)
      </gpx>
      """.utf8)
  }

  private static func point(_ name: String, _ lat: String, _ lon: String) -> String {
    "<\(name) lat=\"\(lat)\" lon=\"\(lon)\"><ele>120</ele></\(name)>"
  }

  private static func texts(_ file: [UInt8]) throws -> [String] {
    try GPXPath.points(of: file).map(\.text)
  }

  @Test(
    "the first track counts with all its segments; waypoints and routes do not",
    .tags(.R38), arguments: ["1.0", "1.1"])
  func tracks(version: String) throws {
    let content = """
      <wpt lat="1" lon="1"/>
      <rte>\(Self.point("rtept", "2", "2"))</rte>
      <trk><name>a</name></trk>
      <trk><trkseg>\(Self.point("trkpt", "45.1", "9"))
      \(Self.point("trkpt", " +45.2 ", "9.5"))</trkseg>
      <trkseg>\(Self.point("trkpt", "-45.3", "-9.123456789"))</trkseg></trk>
      <trk><trkseg>\(Self.point("trkpt", "3", "3"))</trkseg></trk>
      """
    #expect(
      try Self.texts(Self.file(content, version: version))
        == ["45.1,9", "45.2,9.5", "-45.3,-9.1234568"])
  }

  @Test("without a track the first route counts, whatever the prefix of the names", .tags(.R38))
  func routes() throws {
    let file = """
      <g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"><g:rte>
      <g:rtept lat="1" lon="2"/><g:rtept lat="3" lon="4"/></g:rte><g:rte>
      <g:rtept lat="5" lon="6"/></g:rte></g:gpx>
      """
    #expect(try Self.texts(Array(file.utf8)) == ["1,2", "3,4"])
    #expect(try Self.texts(Self.file("")) == [])
  }

  @Test(
    "unreadable files are refused with line and column", .tags(.R38),
    arguments: [
      ("<trk><trkseg><trkpt lat=\"91\" lon=\"9\"/></trkseg></trk>", 4, 14, "between"),
      ("<trk><trkseg>\n <trkpt lat=\"x\" lon=\"9\"/></trkseg></trk>", 5, 2, "decimal degrees"),
      ("<trk><trkseg><trkpt lat=\"1\"/></trkseg></trk>", 4, 14, "no lat or no lon"),
      ("<rte><rtept lat=\"1e1\" lon=\"9\"/></rte>", 4, 6, "decimal degrees"),
      ("<trk>", 5, 3, "malformed"), ("&bomb;", 4, 1, "malformed"),
    ])
  func refused(content: String, line: Int, column: Int, words: String) throws {
    let fault = #expect(throws: XMLFault.self) { try GPXPath.points(of: Self.file(content)) }
    #expect(fault?.detail.contains(words) == true, "\(String(describing: fault))")
    #expect(fault.map { [$0.line, $0.column] } == [line, column])
  }

  @Test(
    "no entity can be declared, and nothing else than GPX is read", .tags(.R38),
    arguments: [
      "<!DOCTYPE gpx [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><gpx>&b;</gpx>",
      "<!DOCTYPE gpx SYSTEM \"file:///etc/passwd\"><gpx/>", "<html></html>", "", "{}",
      "\u{FEFF}<kml/>",
    ])
  func others(text: String) {
    #expect(throws: XMLFault.self) { try GPXPath.points(of: Array(text.utf8)) }
  }

  @Test("twenty thousand points are read, and one more is not", .tags(.R38))
  func pointsMax() throws {
    func track(_ count: Int) -> [UInt8] {
      let points = String(repeating: "<trkpt lat=\"1\" lon=\"2\"/>", count: count)
      return Self.file("<trk><trkseg>\(points)</trkseg></trk>")
    }
    #expect(try GPXPath.points(of: track(20_000)).count == 20_000)
    let fault = #expect(throws: XMLFault.self) { try GPXPath.points(of: track(20_001)) }
    #expect(fault?.detail == "A path has at most 20000 points.")
  }

  @Test("a file over its limit is refused", .tags(.R38))
  func bytesMax() {
    let filler = String(repeating: "<wpt lat=\"1\" lon=\"2\"/>\n", count: 200_000)
    let fault = #expect(throws: XMLFault.self) { try GPXPath.points(of: Self.file(filler)) }
    #expect(fault?.detail.contains("longer than 4194304 bytes") == true)
  }
}
