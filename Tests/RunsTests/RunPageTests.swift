import Domain
import Foundation
import Images
import Requirements
import Runs
import Testing
import Time

@Suite("The public page of a run")
struct RunPageTests {
  /// 2026-06-01T08:00:00Z.
  private static let start = Instant(microsecondsSince1970: 1_780_300_800_000_000)

  private static func run(
    name: String = "Milano half", description: String? = nil, place: String? = nil,
    enrolled: Int32 = 3
  ) -> PublicRun {
    PublicRun(
      runID: 7, code: "ABCDEFGH", name: name, description: description, place: place,
      organiser: "Corse", startsAt: start, enrolUntil: start - .seconds(60),
      endsAt: start + .seconds(7200), participantsMax: 10, enrolled: enrolled, endLatitude: 45,
      endLongitude: 9, lengthMetres: 10_004, hasPicture: false)
  }

  private static func page(
    _ run: PublicRun, _ results: [RunPage.Result] = [], live: RunPage.Live? = nil,
    zone: TimeZoneRules = .utc, after seconds: Int64 = -7200
  ) -> String {
    var page = RunPage(
      run: run, results: results, links: PublicLinks(publicURL: "https://runs.example/"),
      zone: zone, now: start + .seconds(seconds))
    page.live = live
    return page.html
  }

  @Test("names and texts open no tag, end no element and change no text direction", .tags(.RUN_10))
  func hostile() {
    let text = "\"\u{301}><script>alert(1)</script><img src=x onerror='x'>"
    let page = Self.page(
      Self.run(name: text, description: text, place: text),
      [
        RunPage.Result(
          PublicResult(
            number: 1, account: AccountID(rawValue: 1), sealedName: nil, place: 1,
            finishedAt: Self.start + .seconds(1), metres: 1),
          name: text, startedAt: Self.start)
      ])
    #expect(!page.contains("<script"))
    #expect(!page.unicodeScalars.contains("\u{301}") || !page.contains("\"\u{301}"))
    #expect(!page.contains("<img src=x"))
    #expect(page.contains("<bdi>&quot;\u{301}&gt;&lt;script&gt;"))
    #expect(page.contains("content=\"&quot;\u{301}&gt;&lt;script&gt;"))
  }

  @Test("a preview of the link shows name, time, organiser and course", .tags(.RUN_10))
  func preview() {
    let page = Self.page(Self.run(place: "Milano"))
    for line in [
      "<meta property=\"og:title\" content=\"Milano half\">",
      "<meta property=\"og:description\" content=\"01/06/2026 08:00 UTC · Corse · Milano\">",
      "<meta property=\"og:url\" content=\"https://runs.example/r/ABCDEFGH\">",
      "<meta property=\"og:image\" content=\"https://runs.example/r/ABCDEFGH/preview.png\">",
    ] { #expect(page.contains(line), "\(line)") }
    #expect(page.contains("10.00 km"))
    #expect(page.contains("3 / 10"))
  }

  @Test(
    "the page shows the state of the run", .tags(.RUN_4),
    arguments: [
      (-7200, 3, "Enrolment is open"), (-7200, 10, "Full"), (-30, 3, "Enrolment is closed"),
      (0, 3, "On now"), (7200, 3, "Over"),
    ] as [(Int64, Int32, String)])
  func states(seconds: Int64, enrolled: Int32, words: String) {
    #expect(Self.page(Self.run(enrolled: enrolled), after: seconds).contains(">\(words)<"))
  }

  @Test(
    "times are those of the installation's zone, which they name",
    arguments: [
      ("Europe/Rome", "10:00 CEST"), ("Asia/Kathmandu", "13:45 UTC+05:45"),
      ("America/Sao_Paulo", "05:00 UTC-03:00"),
    ])
  func zones(name: String, words: String) throws {
    let file = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)"))
    let page = Self.page(Self.run(), zone: try TimeZoneRules(tzif: Array(file)))
    #expect(
      page.contains("<time datetime=\"2026-06-01T08:00:00Z\">01/06/2026 \(words)</time>"))
  }

  @Test(
    "the standings are live until the run is over", .tags(.RUN_4),
    arguments: [(60, true), (7199, true), (7200, false), (90_000, false)] as [(Int64, Bool)])
  func standings(seconds: Int64, isLive: Bool) {
    let runner = RunPage.Live.Runner(
      place: 1, name: "Anna", status: isLive ? .running : .finished, statistics: nil)
    let live = RunPage.Live([runner], watching: 3, isOver: seconds > 7230)
    let page = Self.page(Self.run(), live: live, after: seconds)
    #expect(page.contains("<bdi>Anna</bdi>"))
    for words in [">Live<", ">Watching</span>: 3<", ">Watch the run<"] {
      #expect(page.contains(words) == isLive, "\(words)")
    }
    for words in [">At the end of the run<", ">See how it ended<"] {
      #expect(page.contains(words) == !isLive, "\(words)")
    }
  }

  @Test("results show place, chosen name and time only", .tags(.RUN_10))
  func results() {
    func result(_ number: Int32, _ seconds: Int64?, _ name: String?) -> RunPage.Result {
      RunPage.Result(
        PublicResult(
          number: number, account: AccountID(rawValue: 4711), sealedName: nil, place: number,
          finishedAt: seconds.map { Self.start + .seconds($0) }, metres: 4321),
        name: name, startedAt: Self.start)
    }
    let page = Self.page(
      Self.run(), [result(1, 3723, "Anna"), result(2, 3724, nil), result(3, nil, "Bea")],
      after: 9000)
    #expect(
      page.contains("<tr id=\"n1\"><td>1</td><td><bdi>Anna</bdi></td><td>1:02:03</td></tr>"))
    #expect(page.contains("<tr id=\"n2\"><td>2</td><td>#2</td><td>1:02:04</td></tr>"))
    #expect(page.contains("<tr id=\"n3\"><td>3</td><td><bdi>Bea</bdi></td><td>4.32 km</td></tr>"))
    #expect(!page.contains("4711"))
    #expect(!Self.page(Self.run()).contains("<table"))
  }

  @Test("a result without its name looks like that of a deleted runner", .tags(.RUN_10))
  func anonymous() {
    let result = RunPage.Result(
      PublicResult(
        number: 2, account: AccountID(rawValue: 4711), sealedName: nil, isAnonymous: true,
        place: 1, finishedAt: nil, metres: 4321),
      name: "Anna", startedAt: Self.start)
    let page = Self.page(Self.run(), [result], after: 9000)
    #expect(page.contains("<td>Corridore eliminato / <span lang=\"en\">Deleted runner</span></td>"))
    #expect(!page.contains("Anna") && !page.contains("#2"))
  }

  @Test("the link of a result shows that result, even after the first thousand", .tags(.RUN_10))
  func shared() {
    func result(_ number: Int32, _ place: Int32) -> RunPage.Result {
      RunPage.Result(
        PublicResult(
          number: number, account: AccountID(rawValue: 1), sealedName: nil, place: place,
          finishedAt: Self.start + .seconds(3723), metres: 1), name: "A<\(number)>",
        startedAt: Self.start)
    }
    func page(_ shared: RunPage.Result) -> String {
      RunPage(
        run: Self.run(), results: [result(1, 1), result(2, 2)], shared: shared,
        links: PublicLinks(publicURL: "https://runs.example/"), zone: .utc,
        now: Self.start + .seconds(9000)
      ).html
    }
    let listed = page(result(2, 2))
    #expect(listed.contains("content=\"2. A&lt;2&gt; · 1:02:03 · Milano half\""))
    #expect(
      listed.contains("content=\"https://runs.example/r/ABCDEFGH?runner=2#n2\""))
    #expect(listed.components(separatedBy: "<tr id=").count == 3)
    let behind = page(result(1500, 1400))
    #expect(behind.contains("<tr id=\"n1500\"><td>1400</td>"))
    #expect(behind.components(separatedBy: "<tr id=").count == 4)
  }

  @Test(
    "a course of any length fills the picture from margin to margin", .tags(.RUN_10),
    arguments: [
      (0, 0.0002), (0.0001, 0), (0.0002, 0.001), (0.01, 0.01), (0.06, 0.05),
    ] as [(Double, Double)])
  func filled(north: Double, east: Double) throws {
    let path = try RunPath([
      GeoPoint(latitude: 45, longitude: 9), GeoPoint(latitude: 45 + north, longitude: 9 + east),
    ])
    let points = CoursePreview.points(of: path)
    let (start, end) = (points[0], points[1])
    let filled = max((end.x - start.x) / 1060, (start.y - end.y) / 490)
    #expect((0.999...1.001).contains(filled))
    #expect((1199.9...1200.1).contains(start.x + end.x))
    #expect((629.9...630.1).contains(start.y + end.y))
  }

  @Test("a very short course is drawn small, in the middle", .tags(.RUN_10))
  func tiny() throws {
    let path = try RunPath([
      GeoPoint(latitude: 45, longitude: 9), GeoPoint(latitude: 45, longitude: 9.00001),
    ])
    let points = CoursePreview.points(of: path)
    // 79 cm of ten metres.
    let share = (points[1].x - points[0].x) / 1060
    #expect((0.078...0.080).contains(share))
  }

  @Test(
    "a course anywhere on earth is drawn, fitted in", .tags(.RUN_10),
    arguments: [
      [(45.0, 9.0), (45.01, 9.01)], [(0, 179.99), (0.01, -179.99)], [(89.99, 0), (89.99, 180)],
      [(-89.9, 20), (-89.95, 21)], [(45, 9), (45.0000001, 9.0000001), (45.001, 9)],
    ] as [[(Double, Double)]])
  func courses(places: [(Double, Double)]) throws {
    let path = try RunPath(
      places.map { try GeoPoint(latitude: $0.0, longitude: $0.1) })
    let picture = try SentPicture(CoursePreview.png(of: path))
    #expect((picture.width, picture.height) == (1200, 630))
    #expect(picture.bytes.count < 60_000)
  }
}
