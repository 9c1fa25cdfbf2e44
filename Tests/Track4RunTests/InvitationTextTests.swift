import Domain
import Requirements
import Services
import Testing
import Track4Run

@Suite("The words of invitations")
struct InvitationTextTests {
  private func text(runName: String = "Milano half", inviter: String = "The red one") -> String {
    InvitationText(
      runName: runName, startsAt: Timestamp(millisecondsSince1970: 1_780_315_200_000),
      inviter: inviter, link: "https://trackme.example/r/ABCDEFGH"
    ).mail.text
  }

  @Test(
    "an invitation names run, time and inviter in two languages, and the link whole", .tags(.RUN_10)
  )
  func words() {
    let text = text()
    #expect(text.contains("The red one ti invita alla corsa “Milano half” del 2026-06-01T12:00:00"))
    #expect(
      text.contains("The red one invites you to the run “Milano half” of 2026-06-01T12:00:00"))
    #expect(text.split(separator: "\n").count { $0 == "https://trackme.example/r/ABCDEFGH" } == 2)
  }

  @Test(
    "no name that somebody chose is a link in an invitation", .tags(.RUN_10),
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

  @Test("a name that holds nothing of an address stays as it is", .tags(.RUN_10))
  func plain() {
    let text = text(runName: "Giro d'Italia, 2. Etappe (10 km)")
    #expect(text.contains("“Giro d'Italia, 2. Etappe (10 km)”"))
  }
}
