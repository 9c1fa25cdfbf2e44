import Domain
import JSON
import LiveRuns
import Requirements
import Testing
import Time

@Suite("Live pictures on the wire")
struct PositionsEventTests {
  private func text(_ value: some JSONWritable) -> String {
    var writer = JSONWriter()
    writer.value(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func read(_ text: String) throws(JSONError) -> PositionsEvent {
    try JSONReader.read(PositionsEvent.self, from: Array(text.utf8))
  }

  private static let anna = LiveRunner(
    name: "Anna \"la gazzella\"", status: .running,
    spot: LiveSpot(latitudeE5: 4_546_420, longitudeE5: -919_000, metres: 1031, second: 300))
  private static let bruno = LiveRunner(name: "Bruno", status: .paused, spot: nil)

  @Test("a picture and changes are written as documented, and read back", .tags(.R52))
  func texts() throws {
    let picture = LivePicture(number: 17, runners: [412: Self.anna, 7: Self.bruno])
    #expect(
      text(picture) == """
        {"number":17,"full":[[7,"Bruno",5],\
        [412,"Anna \\"la gazzella\\"",1,4546420,-919000,1031,300]]}
        """)
    #expect(try read(text(picture)) == .full(picture))
    let step = LiveSpot(latitudeE5: -3, longitudeE5: 4, metres: 3, second: 1)
    let changes = LiveChanges(
      number: 18, moved: [.init(runner: 412, by: step)],
      replaced: [.init(runner: 7, with: Self.bruno)], removed: [9, 10])
    #expect(
      text(changes) == """
        {"number":18,"moved":[[412,-3,4,3,1]],"replaced":[[7,"Bruno",5]],"gone":[9,10]}
        """)
    #expect(try read(text(changes)) == .changes(changes))
    #expect(text(LiveChanges(number: 19)) == #"{"number":19}"#)
    #expect(try read(#"{"number":19}"#) == .changes(LiveChanges(number: 19)))
  }

  @Test("the events rebuild the picture, with at most 24 bytes per runner", .tags(.R52))
  func follows() throws {
    let course = Course(
      try RunPath([
        try GeoPoint(latitude: 45.4642, longitude: 9.19),
        try GeoPoint(latitude: 45.5242, longitude: 9.25),
        try GeoPoint(latitude: 45.4642, longitude: 9.19),
      ]))
    let start = Instant(millisecondsSince1970: 1_780_300_800_000)
    let timed = TimedCourse(
      course, during: try #require(RunTimes(startsAt: start, endsAt: start.adding(seconds: 9_000))))
    let runners = (1...1000 as ClosedRange<Int32>).map { SimulatedRunner(number: $0) }
    var progress = runners.map { _ in RunnerProgress() }
    var shown = LivePicture(number: 0)
    var watched = shown
    for second in 600...630 {
      var next = LivePicture(number: shown.number + 1)
      for (index, runner) in runners.enumerated() {
        let fix = Fix(
          time: start.adding(seconds: Int64(second)),
          position: runner.position(after: Double(second), on: course))
        progress[index].take(fix, on: timed)
        next.runners[Int32(index) + 1] = LiveRunner(
          name: "Runner \(index)", status: .running,
          spot: LiveSpot(progress[index], since: start))
      }
      let bytes = text(next.changes(since: shown))
      if second > 600 { #expect(bytes.utf8.count <= 24 * 1000) }
      guard case .changes(let changes) = try read(bytes) else {
        Issue.record("changes were read as a picture")
        return
      }
      try watched.apply(changes)
      #expect(watched == next)
      shown = next
    }
  }

  @Test(
    "malformed events are refused",
    arguments: [
      "", "[]", "{}", #"{"number":1.5}"#, #"{"number":1,"gone":[4294967296]}"#,
      #"{"number":1,"moved":[[1,2,3,4]]}"#, #"{"number":1,"moved":[[1,2,3,4,5,6]]}"#,
      #"{"number":1,"full":[[1,"Anna"]]}"#, #"{"number":1,"full":[[1,"Anna",99]]}"#,
      #"{"number":1,"full":[[1,"Anna",1,5]]}"#, #"{"number":1,"full":[[1,2,1]]}"#,
      #"{"number":1,"full":[[1,"Anna",5],[1,"Anna",5]]}"#, #"{"number":1}x"#,
      #"{"number":1,"full":[[1,"Anna",1,1,1,1,1,1]]}"#,
    ])
  func refusals(text: String) {
    #expect(throws: JSONError.self) { try read(text) }
  }
}
