import Accounts
import Data4Help
import Data4HelpFixture
import Domain
import EventLoop
import Mail
import Operations
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Synchronization
import Testing
import Time

@Suite("Mails about ended requests and accounts")
struct RevokedMailTests {
  @Test(
    "pending mails to a deleted account, or with its data, are not sent", .tags(.ACC_8))
  func deleted() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      // A pending notice for Laura, unrelated to the others.
      try await stage.noticeForLaura()
      try await stage.store(1)
      let requestID = try await stage.accepted()
      let other = try await stage.accepted(by: Known.studio)
      try await stage.mailData(requestID)
      try await stage.mailData(other, by: Known.studio)
      #expect(try stage.owners() == ["12 -", "21 \(requestID)", "22 \(other)"])
      try await stage.here { try await AccountDeletion(stage.parts.sharing).delete(Known.studio) }
      #expect(try stage.owners() == ["12 -", "21 \(requestID)"])
      try await stage.here { try await AccountDeletion(stage.parts.sharing).delete(Known.mario) }
      #expect(try stage.owners() == ["12 -"])
      #expect(try await stage.sendAll() == ["laura.bianchi@example.org"])
    }
  }

  @Test(
    "the user's end removes pending mails with data, the third party's end does not", .tags(.R21))
  func ended() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let (first, second) = (try await stage.accepted(), try await stage.accepted())
      for requestID in [first, second] { try await stage.mailData(requestID) }
      #expect(try await stage.endByPerson(first).status == 200)
      #expect(try stage.owners() == ["21 \(second)"])
      #expect(try await stage.endByCompany(second).status == 200)
      #expect(try stage.owners().count == 1)
      let subscription = try await stage.accepted(subscribing: true)
      try await stage.mailData(subscription)
      #expect(try await stage.endByCompany(subscription).status == 200)
      #expect(try stage.owners().count == 2)
    }
  }

  @Test(
    "a mail being sent is aborted before the end or the deletion answers",
    .tags(.ACC_8, .R21), arguments: [true, false])
  func underWay(isDeleted: Bool) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.accepted()
      try await stage.mailData(requestID)
      let transport = SlowTransport(on: stage.parts.loop)
      try await stage.watched {
        let worker = try await stage.mailWorker(transport)
        let sending = Task(executorPreference: stage.parts.loop) {
          try await worker.value.sendDue()
        }
        try await transport.begun()
        try await SingleRequestStage.replica(of: stage.installation) { other in
          if isDeleted {
            try await other.here {
              try await AccountDeletion(other.parts.sharing).delete(Known.mario)
            }
          } else {
            #expect(try await other.endByPerson(requestID).status == 200)
          }
        }
        #expect(transport.outcomes == [false])
        try await sending.value
        #expect(try stage.owners().isEmpty)
        // Queued mails of others are sent as before.
        try await stage.noticeForLaura()
        transport.release()
        try await stage.here { try await worker.value.sendDue() }
        #expect(transport.outcomes == [false, true])
      }
    }
  }

  @Test("no mail of an account leaves a process whose lease has lapsed", .tags(.ACC_8))
  func lapsed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.noticeForLaura()
      let loop = stage.parts.loop
      let fence = try await stage.here {
        let fence = RevocationFence(isWatched: true, on: loop)
        fence.extend(until: loop.now + .seconds(1))
        return LoopBound(fence, on: loop)
      }
      let transport = SlowTransport(on: loop)
      let worker = try await stage.mailWorker(transport, fence: fence)
      let sending = Task(executorPreference: loop) { try await worker.value.sendDue() }
      // A stalled process delays no deletion, and does not learn of it.
      try await transport.ended(1)
      try await stage.here { try await AccountDeletion(stage.parts.sharing).delete(Known.laura) }
      transport.release()
      try await sending.value
      #expect(transport.recipients.isEmpty)
      try await stage.here {
        let owner = MailOwner(Known.mario)
        let before = loop.now
        #expect(!fence.value.admits(owner, readAt: before))
        #expect(fence.value.admits(MailOwner(account: nil), readAt: before))
        try await loop.wait(for: .milliseconds(1))
        fence.value.extend(until: loop.now + .seconds(3_600))
        #expect(!fence.value.admits(owner, readAt: before))
        #expect(fence.value.admits(owner, readAt: loop.now))
      }
    }
  }

  @Test("mailings that race with an end leave no mail to be sent after it", .tags(.R21))
  func race() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let transport = SlowTransport(on: stage.parts.loop)
      transport.release()
      try await stage.watched {
        let worker = try await stage.mailWorker(transport)
        for _ in 0..<8 {
          let requestID = try await stage.accepted()
          let count = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<4 {
              group.addTask {
                let reply = try await stage.mail(requestID)
                #expect([200, 409, 503].contains(reply.status), "\(reply.text)")
                try await stage.here { try await worker.value.sendDue() }
                return nil
              }
            }
            group.addTask {
              let end = try await stage.endByPerson(requestID)
              #expect(end.status == 200)
              return transport.recipients.count
            }
            return try await group.reduce(into: 0) { $0 = $1 ?? $0 }
          }
          try await stage.here { try await worker.value.sendDue() }
          #expect(transport.recipients.count == count)
          #expect(
            try stage.cell("SELECT count(*) FROM data4help.mails WHERE sent_at IS NULL") == "0")
        }
      }
    }
  }
}

extension SingleRequestStage {
  /// An accepted request to Mario.
  fileprivate func accepted(
    by company: AccountID = Known.clinic, subscribing: Bool = false
  ) async throws -> String {
    let requestID =
      subscribing ? try await subscribe(by: company) : try await ask(by: company)
    #expect(try await choose("accept", requestID).status == 200)
    return requestID
  }

  fileprivate func mail(
    _ requestID: String, by company: AccountID = Known.clinic
  ) async throws -> Reply {
    try await call(
      .mailData, "{\"reqID\":\"\(requestID)\",\"format\":\"csv\"}", by: company, .thirdParty)
  }

  fileprivate func mailData(_ requestID: String, by company: AccountID = Known.clinic) async throws
  {
    #expect(try await mail(requestID, by: company)["sentAs"] == "attachment")
  }

  /// The owner and the request of the pending mails.
  fileprivate func owners() throws -> [String?] {
    try installation.data.session().rows(
      """
      SELECT account_id || ' ' || coalesce(request_id::text, '-')
        FROM data4help.mails
       WHERE sent_at IS NULL
       ORDER BY account_id
      """
    ).map { $0[0] }
  }

  /// Queues the mail about a request to Laura, without mails of other notices.
  fileprivate func noticeForLaura() async throws {
    try await store(1, for: Known.laura)
    let reply = try await send(
      "{\"email\":\"\(Known.lauraEmail)\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}")
    #expect(reply.status == 200)
    clock.advance(seconds: 20)
    let mails = try noticeMails()
    _ = try await here { try await mails.send() }
    try run(
      "DELETE FROM data4help.mails WHERE account_id <> \(Known.laura) AND request_id IS NULL")
  }

  /// A worker like that of a process, registered with the fence that cancels its mails.
  fileprivate func mailWorker(
    _ transport: any MailTransport, fence own: LoopBound<RevocationFence>? = nil
  ) async throws -> LoopBound<MailWorker> {
    let parts = parts
    return try await here {
      let fence = own ?? parts.fence
      let worker = MailWorker(
        queue: parts.mailQueue, database: parts.database, transport: transport,
        environment: parts.environment, log: .none,
        mayLeave: { fence.value.admits($0, readAt: $1) })
      fence.value.callsBack(worker)
      return LoopBound(worker, on: parts.loop)
    }
  }

  /// Sends the pending mails; returns their recipients.
  fileprivate func sendAll() async throws -> [String] {
    let transport = SlowTransport(on: parts.loop)
    transport.release()
    let worker = try await mailWorker(transport)
    try await here { try await worker.value.sendDue() }
    return transport.recipients
  }
}

/// Holds mails until they are cancelled, or accepts them at once after `release`.
private final class SlowTransport: MailTransport {
  private struct State {
    var hasBegun = false
    var isReleased = false
    var outcomes: [Bool] = []
    var recipients: [String] = []
  }

  private let state = Mutex(State())
  private let loop: EventLoop

  init(on loop: EventLoop) { self.loop = loop }

  /// Whether each mail was sent, in the order in which they ended.
  var outcomes: [Bool] { state.withLock { $0.outcomes } }
  var recipients: [String] { state.withLock { $0.recipients } }

  func release() { state.withLock { $0.isReleased = true } }

  func begun() async throws {
    try await eventually("a mail in transit", within: .seconds(120), every: .milliseconds(2)) {
      state.withLock { $0.hasBegun }
    }
  }

  /// Waits until `count` mails have ended.
  func ended(_ count: Int) async throws {
    try await eventually("\(count) ended mails", within: .seconds(120), every: .milliseconds(5)) {
      outcomes.count >= count
    }
  }

  private func pause() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      loop.execute { [loop] in
        _ = loop.schedule(after: .milliseconds(2)) { continuation.resume() }
      }
    }
  }

  func send(_ mail: MailMessage) async throws(MailError) {
    try await send(mail, unless: MailRevocation())
  }

  func send(_ mail: MailMessage, unless revocation: MailRevocation) async throws(MailError) {
    state.withLock { $0.hasBegun = true }
    while !revocation.isMade, !state.withLock({ $0.isReleased }) { await pause() }
    let isSent = !revocation.isMade
    state.withLock { state in
      state.outcomes.append(isSent)
      if isSent { state.recipients.append(mail.to.text) }
    }
    if !isSent { throw .temporary(.calledBack) }
  }
}
