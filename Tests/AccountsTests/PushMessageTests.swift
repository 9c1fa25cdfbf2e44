import Accounts
import Data4HelpFixture
import Domain
import Foundation
import HTTP
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing
import Web
import Webhooks

@Suite("Push messages to browsers")
struct PushMessageTests {
  private func with(
    _ body: @escaping @Sendable (SingleRequestStage, PushReceiver) async throws -> Void
  ) async throws {
    try await PushReceiver.with { receiver in
      try await SingleRequestStage.with { stage in
        try await stage.populate()
        try await stage.store(1)
        try await body(stage, receiver)
      }
    }
  }

  @Test("subscriptions are listed with the public key, and sealed in storage", .tags(.NTF_2))
  func listing() async throws {
    try await with { stage, receiver in
      let browser = PushBrowser(receiver.endpoint("mario-of-the-test"))
      let stored = try await stage.subscribe(browser, kinds: ["request", "alarm"])
      #expect(stored.status == 200)
      let list = try await stage.call(.pushSubscriptions, by: Known.mario, .singleUser)
      #expect(list["publicKey"]?.count == 87)
      let entry = try #require(list.list("subscriptions").first)
      #expect(entry["subscriptionID"] as? String == stored["subscriptionID"])
      #expect(entry["endpoint"] as? String == browser.endpoint)
      #expect(entry["kinds"] as? [String] == ["request", "alarm"])
      #expect(entry["current"] as? Bool == true)
      let row = try stage.cell(
        "SELECT encode(sealed_endpoint, 'escape') FROM data4help.push_subscriptions")
      #expect(row?.contains("mario-of-the-test") == false)
      let others = try await stage.call(.pushSubscriptions, by: Known.laura, .singleUser)
      #expect(others.list("subscriptions").isEmpty)
    }
  }

  @Test("addresses that are not called, and keys that no browser has, are refused", .tags(.NTF_2))
  func refusals() async throws {
    try await with { stage, receiver in
      for endpoint in [
        "https://10.0.0.1/push/a", "https://[::1]/push/a", "https://[fd00::1]:8443/a",
        "http://push.example.net/a", "http://93.184.216.34/a", "https://user@push.example.net/a",
        "ftp://push.example.net/a", "https://push.example.net/\u{e0}", "",
      ] {
        let reply = try await stage.subscribe(PushBrowser(endpoint))
        #expect(reply.status == 400 && reply["field"] == "endpoint", "\(endpoint): \(reply.text)")
      }
      let body = PushBrowser("https://push.example.net/a").body()
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String])
      let (point, secret) = (document["p256dh"] ?? "", document["auth"] ?? "")
      for (wrong, field) in [
        (body.replacingOccurrences(of: point, with: String(point.dropLast())), "p256dh"),
        (body.replacingOccurrences(of: point, with: point + "="), "p256dh"),
        (
          body.replacingOccurrences(of: point, with: "B" + String(repeating: "A", count: 86)),
          "p256dh"
        ),
        (body.replacingOccurrences(of: secret, with: secret + "AA"), "auth"),
        (body.replacingOccurrences(of: secret, with: "!"), "auth"),
        (PushBrowser("https://push.example.net/a").body(kinds: ["weather"]), "kinds[0]"),
      ] {
        let reply = try await stage.call(
          .storePushSubscription, wrong, by: Known.mario, .singleUser)
        #expect(reply.status == 400 && reply["field"] == field, "\(wrong): \(reply.text)")
      }
      let public1 = try await stage.subscribe(PushBrowser("https://push.example.net/a"))
      #expect(public1.status == 200)
    }
  }

  @Test(
    "a known browser is replaced, and an eleventh subscription replaces the oldest", .tags(.NTF_2))
  func limit() async throws {
    try await with { stage, receiver in
      let browsers = (1...11).map { PushBrowser(receiver.endpoint("b\($0)")) }
      func endpoints() async throws -> [String] {
        try await stage.call(.pushSubscriptions, by: Known.mario, .singleUser)
          .list("subscriptions").reversed().compactMap { $0["endpoint"] as? String }
      }
      for browser in browsers.prefix(10) {
        stage.clock.advance(seconds: 1)
        #expect(try await stage.subscribe(browser).status == 200)
      }
      #expect(try await endpoints() == browsers.prefix(10).map(\.endpoint))
      stage.clock.advance(seconds: 1)
      #expect(try await stage.subscribe(browsers[10]).status == 200)
      #expect(try await endpoints() == browsers.dropFirst().map(\.endpoint))
      let again = try await stage.subscribe(browsers[3], kinds: [])
      #expect(again.status == 200)
      let list = try await stage.call(.pushSubscriptions, by: Known.mario, .singleUser)
      #expect(list.list("subscriptions").count == 10)
      let replaced = list.list("subscriptions").first {
        $0["subscriptionID"] as? String == again["subscriptionID"]
      }
      #expect((replaced?["kinds"] as? [String])?.isEmpty == true)
    }
  }

  @Test("a browser belongs to the account that subscribed it last", .tags(.NTF_2))
  func takeOver() async throws {
    try await with { stage, receiver in
      let browser = PushBrowser(receiver.endpoint("shared"))
      #expect(try await stage.subscribe(browser).status == 200)
      #expect(try await stage.subscribe(browser, by: Known.laura).status == 200)
      let list = try await stage.call(.pushSubscriptions, by: Known.mario, .singleUser)
      #expect(list.list("subscriptions").isEmpty)
      _ = try await stage.ask()
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 0)
    }
  }

  @Test(
    "a request reaches a closed page after five seconds, in the reader's language, without types",
    .tags(.NTF_2, .NTF_3))
  func request() async throws {
    try await with { stage, receiver in
      let browser = PushBrowser(receiver.endpoint("mario"))
      _ = try await stage.subscribe(browser)
      _ = try await stage.ask()
      #expect(try await stage.pushOnce() == 0)
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 1)
      #expect(try await stage.pushOnce() == 0)
      let message = try #require(receiver.messages.first)
      #expect(message.name == "mario")
      #expect(message.fields["content-encoding"] == "aes128gcm")
      #expect(message.fields["urgency"] == "normal")
      #expect(message.fields["ttl"] == "86395")
      #expect(message.fields["topic"] == nil)
      #expect(message.fields["authorization"]?.hasPrefix("vapid t=") == true)
      let document = try browser.open(message)
      #expect(document["title"] as? String == "Richiesta dei tuoi dati")
      let text = try #require(document["text"] as? String)
      #expect(text.hasPrefix("Clinic chiede dati (una volta sola). Rispondi entro il "), "\(text)")
      #expect(document["address"] as? String == "/app/followers?part=pending")
      #expect(document["urgent"] as? Bool == false)
      #expect(document["tag"] as? String == "notice:1")
    }
  }

  @Test("answered questions, read notices and those on a stream are not pushed", .tags(.NTF_2))
  func seen() async throws {
    try await with { stage, receiver in
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")))
      let answered = try await stage.ask()
      #expect(try await stage.choose("decline", answered).status == 200)
      _ = try await stage.ask(by: Known.studio)
      let read = "{\"ids\":[2]}"
      #expect(try await stage.call(.readNotices, read, by: Known.mario, .singleUser).status == 200)
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 2)
      let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
      _ = try await stage.ask(by: Known.studio)
      try await stage.waitUntilPushed(3)
      stream.close()
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 1)
      #expect(receiver.messages.isEmpty)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "0")
    }
  }

  @Test("only the chosen kinds are pushed", .tags(.NTF_2))
  func kinds() async throws {
    try await with { stage, receiver in
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")), kinds: ["alarm"])
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("phone")), kinds: ["request"])
      _ = try await stage.ask()
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 1)
      #expect(receiver.messages.map(\.name) == ["phone"])
    }
  }

  @Test("a company is notified of answers, in the page of its request", .tags(.NTF_2))
  func company() async throws {
    try await with { stage, receiver in
      let browser = PushBrowser(receiver.endpoint("clinic"))
      _ = try await stage.subscribe(browser, by: Known.clinic, .thirdParty)
      let requestID = try await stage.ask()
      #expect(try await stage.choose("accept", requestID).status == 200)
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 1)
      let document = try browser.open(try #require(receiver.messages.first))
      #expect(document["text"] as? String == "Una richiesta di dati è stata accettata.")
      #expect(document["address"] as? String == "/app/history/\(requestID)")
    }
  }

  @Test("an ended subscription is deleted with its messages", .tags(.NTF_2), arguments: [404, 410])
  func gone(_ status: Int) async throws {
    try await with { stage, receiver in
      receiver.answer { $0.name == "gone" ? Response(HTTPStatus(status)) : Response() }
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("gone")))
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("phone")))
      _ = try await stage.ask()
      _ = try await stage.ask(by: Known.studio)
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 4)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_subscriptions") == "1")
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "0")
      #expect(receiver.messages.count { $0.name == "phone" } == 2)
    }
  }

  @Test(
    "a busy push service is tried again on the schedule, until the message is over", .tags(.NTF_2))
  func retries() async throws {
    try await with { stage, receiver in
      receiver.answer { _ in Response(HTTPStatus(503)) }
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")))
      _ = try await stage.ask()
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 1)
      #expect(try await stage.pushOnce() == 0)
      stage.clock.advance(seconds: 12)
      #expect(try await stage.pushOnce() == 1)
      receiver.answer { _ in
        var response = Response(HTTPStatus(429))
        response.fields.append("retry-after", "1000")
        return response
      }
      stage.clock.advance(seconds: 72)
      #expect(try await stage.pushOnce() == 1)
      stage.clock.advance(seconds: 999)
      #expect(try await stage.pushOnce() == 0)
      stage.clock.advance(seconds: 1)
      receiver.answer { _ in Response(HTTPStatus(201)) }
      #expect(try await stage.pushOnce() == 1)
      #expect(receiver.messages.count == 4)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "0")
    }
  }

  @Test("a refused message and one that is over are dropped", .tags(.NTF_2))
  func drops() async throws {
    try await with { stage, receiver in
      receiver.answer { _ in Response(HTTPStatus(403)) }
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")))
      _ = try await stage.ask()
      stage.clock.advance(seconds: 5)
      #expect(try await stage.pushOnce() == 1)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "0")
      _ = try await stage.ask(by: Known.studio)
      stage.clock.advance(seconds: 86_400)
      #expect(try await stage.pushOnce() == 1)
      #expect(receiver.messages.count == 1)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "0")
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_subscriptions") == "1")
    }
  }

  @Test("a subscription that is not served gets a hundred messages at most", .tags(.NTF_2))
  func flood() async throws {
    try await with { stage, receiver in
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")))
      try stage.run(
        """
        INSERT INTO data4help.push_messages (
               account_id, subscription_id, is_urgent, next_attempt_at, expires_at)
        SELECT account_id, subscription_id, false, '2100-01-01', '2100-01-01'
          FROM data4help.push_subscriptions, generate_series(1, 99)
        """)
      _ = try await stage.ask()
      _ = try await stage.ask(by: Known.studio)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "100")
    }
  }

  @Test("of an account twenty urgent messages are sent at once, the others later", .tags(.NTF_2))
  func urgentOfOneAccount() async throws {
    try await with { stage, receiver in
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")))
      try stage.queueCalls(25)
      #expect(try await stage.pushOnce() == 25)
      #expect(receiver.messages.count == 20)
      #expect(try await stage.pushOnce() == 0)
      #expect(
        try stage.cell("SELECT min(attempts) + max(attempts) FROM data4help.push_messages") == "0")
      stage.clock.advance(seconds: 1)
      #expect(try await stage.pushOnce() == 5)
      #expect(receiver.messages.count == 25)
    }
  }

  @Test("logging out ends the subscriptions of the session", .tags(.NTF_2))
  func logout() async throws {
    try await with { stage, receiver in
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")))
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("other")))
      try stage.run(
        """
        UPDATE data4help.push_subscriptions SET session_hash = sha256('another')
         WHERE subscription_id = (SELECT max(subscription_id::text)::uuid
                                    FROM data4help.push_subscriptions)
        """)
      #expect(try await stage.call(.logout, by: Known.mario, .singleUser).status == 200)
      #expect(
        try stage.cell("SELECT count(*) FROM data4help.push_subscriptions") == "1")
    }
  }

  @Test(
    "the warning of an emergency is pushed at once, urgently and without values",
    .tags(.NTF_2, .SOS_1)
  )
  func emergency() async throws {
    try await PushReceiver.with { receiver in
      try await SingleRequestStage.with { stage in
        try await stage.populateEmergencies()
        let browser = PushBrowser(receiver.endpoint("mario"))
        _ = try await stage.subscribe(browser)
        // A page is open: alarms are pushed nevertheless.
        let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
        try await stage.measure("131")
        _ = try await stage.stages(1)
        #expect(try await stage.pushOnce() == 1)
        stream.close()
        let message = try #require(receiver.messages.first)
        #expect(message.fields["urgency"] == "high")
        #expect(message.fields["ttl"] == "3600")
        #expect(message.fields["topic"]?.count == 32)
        let document = try browser.open(message)
        #expect(document["title"] as? String == "AutomatedSOS")
        let text = try #require(document["text"] as? String)
        #expect(text.hasPrefix("Emergenza: puoi annullarla entro il "), "\(text)")
        #expect(!text.contains("131"))
        #expect(document["address"] as? String == "/app/sos")
        #expect((document["tag"] as? String)?.hasPrefix("emergency:") == true)
        #expect(document["urgent"] as? Bool == true)
      }
    }
  }

  @Test(
    "the call of a hospital is pushed to its browsers, without the person", .tags(.NTF_2, .SOS_5))
  func hospital() async throws {
    try await PushReceiver.with { receiver in
      try await SingleRequestStage.with { stage in
        try await stage.populateEmergencies()
        try await stage.hospital(Known.clinic, at: "45.4642,9.1900")
        let browser = PushBrowser(receiver.endpoint("clinic"))
        _ = try await stage.subscribe(browser, kinds: [], by: Known.clinic, .thirdParty)
        _ = try await stage.calledEmergency()
        #expect(try await stage.pushOnce() >= 1)
        let message = try #require(receiver.messages.first { $0.name == "clinic" })
        #expect(message.fields["urgency"] == "high")
        let document = try browser.open(message)
        #expect(document["title"] as? String == "Chiamata di emergenza")
        #expect(
          document["text"] as? String == "Una persona ha bisogno di aiuto. Apri le emergenze.")
        #expect(document["address"] as? String == "/app/emergencies")
      }
    }
  }
}
