import Domain
import EventLoop
import Requirements
import Services
import Testing
import Track4Run

@Suite("The words of news of runs")
struct RunNewsTests {
  @Test("no name of a run is a link in a mail", .tags(.RUN_13))
  func links() throws {
    let start = WallTime(Timestamp(millisecondsSince1970: 1_780_315_200_000))
    let news = RunNews(1, "See http://evil.example/run", startsAt: start)
    guard case .notice(let notice) = news.order(.coOrganiserNamed, to: [AccountID(rawValue: 1)])
    else {
      Issue.record("News are a notice.")
      return
    }
    let text = try #require(notice.mail?.text)
    #expect(text.contains("See http: / / evil. example/ run"))
    #expect(!text.contains("evil.example"))
  }
}
