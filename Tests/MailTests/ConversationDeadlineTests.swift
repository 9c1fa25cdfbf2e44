import Mail
import Operations
import Requirements
import Testing
import Time

@Suite("Deadlines of conversations with a mail server")
struct ConversationDeadlineTests {
  private let body = OutgoingBody(Array("text".utf8))
  private let revocation = MailRevocation()
  private let handOverBy = MonotonicInstant.zero + .seconds(60)

  private func isOver(at time: Duration) -> Bool {
    ConversationDeadline(body, revocation, handOverBy: handOverBy).isOver(at: .zero + time)
  }

  @Test("a late mail is interrupted until the server has all of it, and never after")
  func late() {
    #expect(body.next(3).count == 3)
    #expect(!isOver(at: .milliseconds(59_999)))
    #expect(isOver(at: .seconds(60)))
    #expect(body.next(3).count == 1)
    #expect(!isOver(at: .seconds(3_600)))
  }

  @Test("a stop interrupts a mail until the server has all of it")
  func stopped() {
    #expect(!isOver(at: .zero))
    revocation.breakOff()
    #expect(isOver(at: .zero))
    #expect(body.next(4).count == 4)
    #expect(!isOver(at: .seconds(3_600)))
  }

  @Test("a revoked mail is always interrupted", .tags(.ACC_8))
  func calledBack() {
    #expect(body.next(4).count == 4)
    revocation.make()
    #expect(isOver(at: .zero))
  }

  @Test("the longest conversation ends and is recorded before the lease of its mail")
  func lease() {
    let settings = SMTPTransport.Settings(url: Secret("smtp://127.0.0.1"))
    #expect(settings.sendMax < settings.conversationMax)
    #expect(settings.conversationMax + .seconds(30) <= MailWorker.lease)
  }
}
