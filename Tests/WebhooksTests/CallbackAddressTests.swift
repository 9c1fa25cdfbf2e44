import Cryptography
import Operations
import Requirements
import Testing
import Time
import Webhooks

@Suite("Permitted addresses of callbacks")
struct CallbackAddressTests {
  @Test(
    "an address that is not public is refused", .tags(.REQ_2),
    arguments: [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.169.254",
      "172.16.0.1", "172.31.255.255", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
      "::", "::1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "fe80::1", "fc00::1", "fdff::1",
      "ff02::1", "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b:1::1", "2001::1", "2001:db8::1",
    ])
  func refused(_ text: String) throws {
    let address = try #require(AddressRange.address(text))
    #expect(!CallbackAddresses(allowed: []).admit(address, isEncrypted: true))
  }

  @Test(
    "a public address is permitted, with TLS only", .tags(.REQ_2),
    arguments: ["8.8.8.8", "100.63.255.255", "100.128.0.0", "172.32.0.0", "2606:4700::1111"])
  func admitted(_ text: String) throws {
    let address = try #require(AddressRange.address(text))
    #expect(CallbackAddresses(allowed: []).admit(address, isEncrypted: true))
    #expect(!CallbackAddresses(allowed: []).admit(address, isEncrypted: false))
  }

  @Test("an operator's range is permitted up to its last address, also without TLS")
  func allowed() throws {
    let range = try #require(AddressRange("10.1.2.0/23"))
    let addresses = CallbackAddresses(allowed: [range])
    for (text, isAdmitted) in [
      ("10.1.1.255", false), ("10.1.2.0", true), ("10.1.3.255", true), ("10.1.4.0", false),
      ("::ffff:10.1.2.0", false),
    ] {
      let address = try #require(AddressRange.address(text))
      #expect(addresses.admit(address, isEncrypted: false) == isAdmitted, "\(text)")
    }
    #expect(AddressRange("10.0.0.0/33") == nil)
    #expect(AddressRange("fd00::/8")?.contains([UInt8](repeating: 0xFD, count: 16)) == true)
    #expect(AddressRange("0.0.0.0/0")?.contains([1, 2, 3, 4]) == true)
  }

  @Test(
    "an invalid callback URL is refused",
    arguments: [
      "", "https://", "https:///x", "https://:443/", "ftp://example.org", "HTTPS://example.org",
      "https://user:password@example.org", "https://example.org/#part", "https://example.org/a b",
      "https://example.org/\u{e9}", "file:///etc/passwd", "https://a\\b",
    ])
  func urls(_ text: String) { #expect(CallbackURL(text) == nil) }

  @Test("a URL of 500 bytes is accepted and one of 501 is not")
  func length() {
    let start = "https://example.org/"
    let whole = start + String(repeating: "a", count: 500 - start.utf8.count)
    #expect(CallbackURL(whole)?.isEncrypted == true)
    #expect(CallbackURL(whole + "a") == nil)
    #expect(CallbackURL("http://[::1]:80/?a@b")?.isEncrypted == false)
  }

  @Test(
    "a call has the headers of Standard Webhooks, as in its published test vector", .tags(.REQ_2))
  func signature() throws {
    let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8.span)
    let message = CallbackMessage(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: Array("{\"test\": 2432232314}".utf8))
    let url = try #require(CallbackURL("https://example.org"))
    let call = message.call(
      to: url, under: [secret], at: Instant(microsecondsSince1970: 1_614_265_330_000_000))
    #expect(call.headers.contains("webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek"))
    #expect(call.headers.contains("webhook-timestamp: 1614265330"))
    #expect(
      call.headers.contains(
        "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="))
  }

  @Test("the schedule has ten attempts in three days and then ends", .tags(.REQ_2))
  func schedule() {
    let pauses = (1...9).compactMap {
      RetrySchedule.callback.pause(afterAttempts: $0, randomness: 127)
    }
    #expect(pauses.count == 9)
    #expect(RetrySchedule.callback.pauses.map(\.components.seconds).reduce(0, +) == 272_105)
    #expect(RetrySchedule.callback.pause(afterAttempts: 10, randomness: 0) == nil)
  }

  @Test("no connection is made to a private address, whatever name resolves to it", .tags(.REQ_2))
  func notConnected() async throws {
    let poster = try CallbackPoster(
      CallbackPoster.Settings(addresses: CallbackAddresses(allowed: [])))
    defer { poster.stop() }
    for text in ["https://localhost:9/", "https://127.0.0.1:9/", "http://[::1]:9/"] {
      let url = try #require(CallbackURL(text))
      let outcome = await poster.post(CallbackCall(url: url, headers: ["a: b"], body: [0x7B]))
      #expect(outcome == .failed(.address), "\(text)")
    }
  }

  @Test("no call is made after the stop")
  func stopped() async throws {
    let poster = try CallbackPoster(
      CallbackPoster.Settings(addresses: CallbackAddresses(allowed: [])))
    poster.stop()
    let url = try #require(CallbackURL("https://localhost:9/"))
    let outcome = await poster.post(CallbackCall(url: url, headers: ["a: b"], body: []))
    #expect(outcome == .failed(.stopped))
  }
}
