import Cryptography
import Requirements
import Testing
import Time
import Webhooks

@Suite("Addresses at push services")
struct PushEndpointTests {
  @Test(
    "an address that no connection may reach is ruled out before it is stored", .tags(.NTF_2),
    arguments: [
      ("https://push.example.net/a", false), ("https://93.184.216.34/a", false),
      ("https://[2606:4700::1111]:8443/a", false), ("http://10.1.2.3:8080/a", false),
      ("https://10.1.2.3/a", false), ("https://10.2.0.1/a", true), ("https://127.0.0.1:1/a", true),
      ("https://[::1]/a", true), ("https://[fd00::1]:8443/a", true),
      ("http://push.example.net/a", true), ("http://93.184.216.34/a", true),
    ])
  func ruledOut(_ text: String, _ isRuledOut: Bool) throws {
    let range = try #require(AddressRange("10.1.2.0/24"))
    let url = try #require(CallbackURL(text))
    #expect(CallbackAddresses(allowed: [range]).rulesOut(url) == isRuledOut)
  }

  @Test(
    "the origin has no default port and no capital letters", .tags(.NTF_2),
    arguments: [
      ("https://Push.Example.net/a?b", "https://push.example.net"),
      ("https://push.example.net:443/a", "https://push.example.net"),
      ("https://push.example.net:8443/a", "https://push.example.net:8443"),
      ("http://127.0.0.1:80/a", "http://127.0.0.1"),
      ("http://127.0.0.1:443", "http://127.0.0.1:443"),
    ])
  func origin(_ text: String, _ expected: String) throws {
    let browser = try #require(P256Key(secret: P256Key.randomSecret()))
    let recipient = try #require(
      PushRecipient(point: browser.point, secret: [UInt8](repeating: 7, count: 16)))
    let url = try #require(CallbackURL(text))
    #expect(PushEndpoint(url: url, recipient: recipient).origin == expected)
  }

  @Test("a message to a refused address, as of a wrong name, is postponed", .tags(.NTF_2))
  func refusedAddress() async throws {
    let sender = try PushSender(
      CallbackPoster.Settings(addresses: CallbackAddresses(allowed: [])), key: .random(),
      contact: "mailto:trackme@example.com")
    defer { sender.stop() }
    let browser = try #require(P256Key(secret: P256Key.randomSecret()))
    let recipient = try #require(
      PushRecipient(point: browser.point, secret: [UInt8](repeating: 7, count: 16)))
    let url = try #require(CallbackURL("https://127.0.0.1:1/a"))
    let now = Instant(millisecondsSince1970: 1_705_312_800_000)
    let outcome = await sender.send(
      PushContent([65], isUrgent: false), to: PushEndpoint(url: url, recipient: recipient),
      until: now.adding(seconds: 60), at: now)
    #expect(outcome == .postponed(.address, retryAfter: 0))
  }

  @Test("addresses at push services may be longer than callbacks", .tags(.NTF_2))
  func length() {
    let start = "https://push.example.net/"
    let whole = start + String(repeating: "a", count: PushEndpoint.lengthMax - start.utf8.count)
    #expect(CallbackURL(whole, lengthMax: PushEndpoint.lengthMax) != nil)
    #expect(CallbackURL(whole + "a", lengthMax: PushEndpoint.lengthMax) == nil)
    #expect(CallbackURL(whole) == nil)
  }

  @Test("the topic of a message is a hash of 32 characters", .tags(.NTF_2))
  func topic() {
    let content = PushContent([], isUrgent: true, topic: "emergency:1")
    #expect(content.topic?.count == 32)
    #expect(content.topic?.contains("emergency") == false)
    #expect(content.topic == PushContent([], isUrgent: false, topic: "emergency:1").topic)
    #expect(content.topic != PushContent([], isUrgent: true, topic: "emergency:2").topic)
    #expect(PushContent([], isUrgent: true).topic == nil)
  }
}
