import Domain
import Requirements
import Testing
import Time
import trackme_lab

@Suite("The weekly run of the sandbox, and the arguments of its command")
struct WeeklyRunTests {
  private static let today = CalendarDate(daysSince1970: 20_784)
  private let town: Town

  init() throws { town = try Town(people: 600, days: 60, seed: 1, today: Self.today) }

  @Test("each past Sunday has results in the order of their ranks, within the time of the run")
  func results() throws {
    let run = try WeeklyRun(of: town)
    #expect((5000.0...6000.0).contains(run.metres))
    #expect(run.path.start == run.path.finish)
    #expect((8...9).contains(run.pastDays.count))
    for day in run.pastDays {
      #expect(day.weekday == 7 && day < Self.today)
      let results = run.results(on: day)
      #expect((20...WeeklyRun.participantsMax).contains(results.count))
      #expect(Set(results.map(\.citizen.number)).count == results.count)
      #expect(results.map(\.outcome.rawValue) == results.map(\.outcome.rawValue).sorted())
      let finished = results.filter { $0.outcome == .finished }
      let times = finished.compactMap(\.reachedAfter)
      #expect(times == times.sorted() && times.count == finished.count)
      #expect(times.allSatisfy { (1_200_000...WeeklyRun.seconds * 1000).contains($0) })
      for result in results {
        #expect(result.citizen.isRunner)
        #expect((result.outcome == .didNotStart) == (result.reachedAfter == nil))
        #expect(result.kilometresAfter == result.kilometresAfter.sorted())
        #expect(result.kilometresAfter.count == Int(result.metres / 1000))
        #expect((result.metres == run.metres) == (result.outcome == .finished))
        let sport = CitizenDay(of: result.citizen, on: day).sport
        #expect(sport?.isRace == true)
      }
    }
  }

  @Test("the next run is on a Sunday at nine, at least two days ahead")
  func next() {
    for offset in 0..<7 {
      let today = Self.today.adding(days: offset)
      let next = WeeklyRun.nextDay(after: today)
      #expect(next.weekday == 7)
      #expect((2...8).contains(next.daysSince1970 - today.daysSince1970))
      let start = WeeklyRun.start(on: next, in: .utc)
      #expect(start.description == "\(next)T09:00:00Z")
    }
  }

  @Test("without arguments a town has 1200 people and a year", .tags(.OPS_8))
  func arguments() throws {
    let usual = try #require(SandboxOrder([]))
    #expect((usual.people, usual.days, usual.seed, usual.isLive) == (1200, 365, 1, false))
    let order = try #require(
      SandboxOrder(["--people", "20", "--days", "30", "--seed", "9", "--live", "--for", "5"]))
    #expect((order.people, order.days, order.seed, order.liveSeconds) == (20, 30, 9, 5))
    #expect(order.isLive)
    for wrong in [
      ["--people", "1"], ["--people", "5001"], ["--days", "6"], ["--days", "731"], ["--people"],
      ["--for", "5"], ["--seed", "-1"], ["--live", "--for", "0"], ["town"],
    ] {
      #expect(SandboxOrder(wrong) == nil, "\(wrong)")
    }
  }

  @Test("the marker of a town is read as it was written, and no other text is one")
  func marker() throws {
    let order = try #require(SandboxOrder(["--people", "20"]))
    var marker = SandboxMarker(order, on: Self.today)
    #expect(SandboxMarker(line: marker.line) == marker)
    #expect(marker.agrees(with: order))
    #expect(!marker.agrees(with: try #require(SandboxOrder([]))))
    marker.isComplete = true
    #expect(marker.line == "complete 1 20 365 \(Self.today)")
    #expect(SandboxMarker(line: marker.line + "\n") == marker)
    #expect(try marker.town.citizens.count == 20)
    for damaged in ["", "complete 1 20 365", "ended 1 20 365 2026-11-27", "begun 1 20 365 today"] {
      #expect(SandboxMarker(line: damaged) == nil, "\(damaged)")
    }
  }
}
