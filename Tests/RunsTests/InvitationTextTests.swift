import Domain
import InternalAPI
import Requirements
import Runs
import Testing
import Time

@Suite("Invitation texts")
struct InvitationTextTests {
  private func text(
    _ language: Language = .english, runName: String = "Milano half",
    inviter: String = "The red one"
  ) -> String {
    let mail = InvitationText(
      runName: runName, startsAt: Instant(millisecondsSince1970: 1_780_315_200_000),
      inviter: inviter, link: "https://trackme.example/r/ABCDEFGH"
    ).mail
    return mail.text(
      for: ReaderLocale(language: language, zoneName: "Etc/UTC", zone: .utc)
    ).text
  }

  @Test(
    "an invitation has run, time, sender and the complete link in two languages", .tags(.RUN_10)
  )
  func words() {
    #expect(
      text(.italian).contains(
        "The red one ti invita alla corsa “Milano half” del 1 giugno 2026, 12:00 (Etc/UTC)."))
    #expect(
      text().contains(
        "The red one invites you to the run “Milano half” of 1 June 2026, 12:00 (Etc/UTC)."))
    for language in Language.allCases {
      let lines = text(language).split(separator: "\n")
      #expect(lines.count { $0 == "https://trackme.example/r/ABCDEFGH" } == 1)
    }
  }

  @Test(
    "no chosen name becomes a link in an invitation", .tags(.RUN_10),
    arguments: [
      "https://evil.example", "evil.example", "a@evil.example", "www.evil。example/x",
      "evil．example",
    ])
  func links(name: String) {
    for text in [text(runName: name), text(inviter: name)] {
      #expect(!text.contains(name))
      for sign in ["https://evil", "evil.e", "a@e", "www.e", "evil。e", "evil．e"] {
        #expect(!text.contains(sign))
      }
    }
  }

  @Test("no name of a run ends its quotation in an invitation", .tags(.RUN_10))
  func quotation() {
    #expect(text(runName: "Giro” of today. “B").contains("“Giro' of today. 'B”"))
  }

  @Test("a name without a web address is unchanged", .tags(.RUN_10))
  func plain() {
    let text = text(runName: "Giro d'Italia, 2. Etappe (10 km)")
    #expect(text.contains("“Giro d'Italia, 2. Etappe (10 km)”"))
  }
}
