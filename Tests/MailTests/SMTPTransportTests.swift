import Mail
import Operations
import Requirements
import Testing

@Suite("Sending mail")
struct SMTPTransportTests {
  private func send(
    _ mail: MailMessage, to url: String, within time: Duration = .seconds(240),
    unless revocation: MailRevocation = MailRevocation()
  ) async throws -> MailError? {
    var settings = SMTPTransport.Settings(url: Secret(url))
    // The greeting counts as part of connecting.
    settings.connectMax = time
    settings.sendMax = time
    let transport = try SMTPTransport(settings)
    do throws(MailError) {
      try await transport.send(mail, unless: revocation)
      return nil
    } catch {
      return error
    }
  }

  private func outcome(_ manner: SMTPServer.Manner) async throws -> MailError? {
    let server = try SMTPServer(manner)
    defer { server.stop() }
    return try await send(try Letters.letter(), to: server.url)
  }

  @Test("a mail arrives unchanged, including lines with a single dot")
  func arrives() async throws {
    let server = try SMTPServer(.accepting)
    defer { server.stop() }
    let mail = try Letters.letter(text: "One.\n.\n..two\nEnd")
    #expect(try await send(mail, to: server.url) == nil)
    let text = try #require(server.texts.first)
    #expect(text.contains("Message-ID: <\(mail.messageID)>"))
    #expect(text.hasSuffix("\n\nOne.\n..\n...two\nEnd"))
    #expect(server.commands.first == "EHLO example.org")
    #expect(server.commands.contains("MAIL FROM:<trackme@example.org>"))
    #expect(server.commands.contains { $0.hasPrefix("RCPT TO:<anna@example.org>") })
  }

  @Test("a refusal of this mail is final, other failures are temporary")
  func refusals() async throws {
    #expect(
      try await outcome(.refusingRecipient("550 no such user")) == .permanent(.reply(550)))
    #expect(try await outcome(.refusingRecipient("451 later")) == .temporary(.reply(451)))
    #expect(try await outcome(.refusingText("554 spam")) == .permanent(.reply(554)))
    #expect(try await outcome(.refusingText("452 full")) == .temporary(.reply(452)))
    #expect(try await outcome(.refusingAll("554 go away")) == .temporary(.reply(554)))
    #expect(try await outcome(.refusingAll("421 busy")) == .temporary(.reply(421)))
  }

  @Test("a server that closes the connection before the end of the text is tried again")
  func closesEarly() async throws {
    for manner in [SMTPServer.Manner.closingBeforeText, .closingInText] {
      let server = try SMTPServer(manner)
      defer { server.stop() }
      // More than the system buffers for a connection.
      let mail = try Letters.letter(text: String(repeating: "A line of text.\n", count: 500_000))
      guard case .temporary(.transfer) = try await send(mail, to: server.url) else {
        Issue.record("\(manner) should be temporary, and known not to have taken it")
        continue
      }
      #expect(server.texts.isEmpty)
    }
  }

  @Test("a server that closes the connection after the text without a reply is tried again")
  func closes() async throws {
    #expect(try await outcome(.closingAfterText) == .temporary(.unanswered))
  }

  @Test("a slow server that has the whole mail is awaited, also during a stop")
  func hesitates() async throws {
    let server = try SMTPServer(.hesitating)
    defer { server.stop() }
    let (mail, revocation) = (try Letters.letter(), MailRevocation())
    async let outcome = send(mail, to: server.url, unless: revocation)
    await server.waitUntilReceived()
    revocation.breakOff()
    server.answer()
    #expect(try await outcome == nil)
    #expect(server.texts.count == 1)
  }

  @Test("a stop interrupts a mail that the server has not received")
  func stopped() async throws {
    let server = try SMTPServer(.silent)
    defer { server.stop() }
    let (mail, revocation) = (try Letters.letter(), MailRevocation())
    async let outcome = send(mail, to: server.url, unless: revocation)
    await server.waitUntilConnected()
    revocation.breakOff()
    #expect(try await outcome == .temporary(.stopped))
    #expect(try await send(mail, to: server.url, unless: revocation) == .temporary(.stopped))
  }

  @Test("a silent server times out")
  func silent() async throws {
    let server = try SMTPServer(.silent)
    defer { server.stop() }
    let error = try await send(
      try Letters.letter(), to: server.url, within: .milliseconds(300))
    #expect(error == .temporary(.transfer(28)))
  }

  @Test("a mail to a silent server is revoked", .tags(.ACC_8))
  func calledBack() async throws {
    let server = try SMTPServer(.silent)
    defer { server.stop() }
    let (mail, revocation) = (try Letters.letter(), MailRevocation())
    async let outcome = send(mail, to: server.url, unless: revocation)
    await server.waitUntilConnected()
    revocation.make()
    // Without the revocation it would end after minutes, with another error.
    #expect(try await outcome == .temporary(.calledBack))
    // A mail called back before the start is not sent.
    #expect(try await send(mail, to: server.url, unless: revocation) == .temporary(.calledBack))
  }

  @Test("a missing server is a temporary failure")
  func missingServer() async throws {
    #expect(try await outcome(.absent) == .temporary(.transfer(7)))
  }

  @Test("if STARTTLS is offered, nothing is sent without TLS", .tags(.NFR_5))
  func startsTLS() async throws {
    let server = try SMTPServer(.offeringTLS)
    defer { server.stop() }
    let error = try await send(try Letters.letter(), to: server.url)
    #expect(error != nil)
    // The first byte of a TLS handshake record is 22.
    #expect(server.commands.suffix(2) == ["STARTTLS", "byte 22"])
  }

  @Test("smtps begins with TLS", .tags(.NFR_5))
  func implicitTLS() async throws {
    let server = try SMTPServer(.accepting)
    defer { server.stop() }
    let url = server.url.replacing("smtp:", with: "smtps:")
    let error = try await send(try Letters.letter(), to: url, within: .seconds(2))
    #expect(error != nil)
    #expect(!server.commands.contains { $0.hasPrefix("EHLO") })
  }

  @Test("a password is never sent to another machine without TLS", .tags(.NFR_5))
  func passwords() {
    #expect(SMTPServerName("smtp://user:pass@mail.example.org:25").mustEncrypt)
    #expect(!SMTPServerName("smtp://mail.example.org:25").mustEncrypt)
    #expect(!SMTPServerName("smtp://user:pass@127.0.0.1:25").mustEncrypt)
    #expect(!SMTPServerName("smtp://user:pass@localhost").mustEncrypt)
    #expect(SMTPServerName("smtp://user:pass@localhost.example.org").mustEncrypt)
    #expect(SMTPServerName("smtp://user:pass@127.example.org").mustEncrypt)
  }
}
