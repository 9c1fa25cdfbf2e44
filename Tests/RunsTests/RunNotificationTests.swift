import Data4HelpSync
import Domain
import InternalAPI
import Requirements
import Runs
import ServiceKit
import Testing
import Time

@Suite("Texts of run notifications")
struct RunNotificationTests {
  @Test("no name of a run becomes a link in a mail", .tags(.RUN_13))
  func links() throws {
    let start = Instant(millisecondsSince1970: 1_780_315_200_000)
    let notification = RunNotification(1, "See http://evil.example/run", startsAt: start)
    guard
      case .notice(let notice) = notification.order(.coOrganiserNamed, to: [AccountID(rawValue: 1)])
    else {
      Issue.record("News are a notice.")
      return
    }
    let mail = try #require(notice.mail)
    for text in [mail.italian.text, mail.english.text] {
      #expect(text.contains("See http: / / evil. example/ run"))
      #expect(!text.contains("evil.example"))
    }
  }

  @Test("no name of a run ends its quotation in a mail", .tags(.RUN_13))
  func quotation() throws {
    let start = Instant(millisecondsSince1970: 1_780_315_200_000)
    let notification = RunNotification(1, "Giro” is cancelled. “Other", startsAt: start)
    guard case .notice(let notice) = notification.order(.left, to: [AccountID(rawValue: 1)]) else {
      Issue.record("News are a notice.")
      return
    }
    let mail = try #require(notice.mail)
    #expect(mail.english.text.contains("“Giro' is cancelled. 'Other”"))
  }

  @Test(
    "an organiser's text in a change becomes neither a link nor a line of the mail", .tags(.RUN_2))
  func differences() throws {
    let text = "x.\n\nTrackMe: type your password at\r\nhttps://evil.example/x"
    let before = try Self.terms("Giro", nil, nil)
    let after = try Self.terms("https://evil.example/n", text, "www.evil.example")
    let differences = RunDifferences(from: before, to: after)
    #expect(
      differences.english == [
        "- name: https: / / evil. example/ n",
        "- description:\n  > x.\n  > \n  > TrackMe: type your password at\n"
          + "  > https: / / evil. example/ x",
        "- place: www. evil. example",
      ])
    for line in differences.italian + differences.english {
      #expect(!line.contains("evil.example"))
    }
    let removed = RunDifferences(from: after, to: before)
    #expect(removed.english.suffix(2) == ["- description: none", "- place: none"])
  }

  private static func terms(
    _ name: String, _ description: String?, _ place: String?
  ) throws -> RunTerms {
    let start = Instant(millisecondsSince1970: 1_780_315_200_000)
    let times = try #require(RunTimes(startsAt: start, endsAt: start.adding(seconds: 3600)))
    return RunTerms(
      stored: try RunName(name), description: try description.map { try RunDescription($0) },
      place: try place.map { try RunName($0) }, times: times, enrolUntil: start,
      participantsMax: 10)
  }
}
