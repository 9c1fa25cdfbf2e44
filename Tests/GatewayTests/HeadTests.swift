import Cryptography
import Domain
import Gateway
import HTTP
import PublicAPI
import Requirements
import Testing

@Suite("Forwarded heads", .tags(.GW_1))
struct HeadTests {
  private let phase = ForwardPhase(secret: InternalSecret(root: .random()))

  private func forward(
    _ head: RequestHead, identified: Bool = true, hidesToken: Bool = false
  ) -> RequestHead {
    let token = TokenAuthority(root: .random()).issue(.session)
    var head = head
    phase.rewrite(
      &head, authority: "data4help",
      caller: ForwardPhase.Caller(
        identity: identified ? (TestGateway.session(7, .thirdParty), token.hash) : nil,
        address: Array("192.0.2.1".utf8), isSecure: true, requestID: Array("abc".utf8)),
      bodyCount: nil, hidesToken: hidesToken)
    return head
  }

  @Test(
    "internal fields of a client are removed in every spelling",
    arguments: [
      "x-trackme-account", "X-TrackMe-Account", "x_trackme_account", "x-trackme_account",
      "X_TRACKME-SECRET", "x-trackme-", "xtrackme-kind", "x--trackme--session", "x.trackme.kind",
      "-x-trackme-account", "_x_trackme",
    ])
  func internalFields(_ name: String) {
    var head = RequestHead(.get, "/data/stats", authority: "a")
    head.fields.append(name, "99")
    head.fields.append("x-other", "kept")
    let sent = forward(head, identified: false)
    #expect(sent.fields[InternalField.account] == nil)
    #expect(sent.fields[InternalField.kind] == nil)
    #expect(sent.fields["x-other"] == "kept")
    var values: [String] = []
    sent.fields.forEach { _, _, value in values.append(String(copying: value)) }
    #expect(!values.contains("99"))
  }

  @Test("fields with similar names pass", arguments: ["x-track", "trackme", "x-tracking-me"])
  func others(_ name: String) {
    let isInternal = InternalNames.isInternal(Array(name.utf8).span)
    #expect(!isInternal)
  }

  @Test("the gateway alone sets the caller's identity")
  func identity() {
    let sent = forward(RequestHead(.get, "/data/stats", authority: "trackme.example"))
    #expect(sent.fields[InternalField.account] == "7")
    #expect(sent.fields[InternalField.kind] == "tp")
    #expect(sent.fields[InternalField.session]?.utf8.count == 64)
    #expect(sent.fields[InternalField.secret]?.utf8.count == 64)
    #expect(sent.fields[.xForwardedProto] == "https")
    #expect(sent.fields[.xForwardedHost] == "trackme.example")
    #expect(sent.fields[.host] == "data4help")
  }

  @Test("forwarding fields of a client are replaced, and its secrets removed")
  func replaced() {
    var head = RequestHead(.get, "/data/stats", authority: "a")
    for name in ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded"] {
      head.fields.append(name, "evil")
    }
    head.fields.append(.authorization, "Bearer t")
    head.fields.append(.cookie, "a=b")
    head.fields.append(.requestID, "evil")
    let sent = forward(head)
    #expect(sent.fields[.xForwardedFor] == "192.0.2.1")
    #expect(sent.fields.count(of: .xForwardedFor) == 1)
    #expect(sent.fields[.requestID] == "abc")
    for name in [FieldName.authorization, .cookie, .forwarded] {
      #expect(!sent.fields.contains(name))
    }
  }

  @Test("hop-by-hop fields and those named by Connection are removed")
  func hopByHop() {
    var head = RequestHead(.get, "/data/stats", authority: "a")
    head.fields.append(.connection, "keep-alive, X-Mine , te")
    head.fields.append("x-mine", "1")
    head.fields.append(.te, "trailers")
    head.fields.append(.upgrade, "h2c")
    head.fields.append(.accept, "text/html")
    let sent = forward(head)
    #expect(sent.fields["x-mine"] == nil)
    for name in [FieldName.connection, .te, .upgrade] { #expect(!sent.fields.contains(name)) }
    #expect(sent.fields[.accept] == "text/html")
  }

  @Test(
    "the token is removed from a forwarded query, the rest is kept",
    arguments: [
      ("/a?authToken=t", "/a"), ("/a?x=1&authToken=t", "/a?x=1"),
      ("/a?authToken=t&x=%20&y=2", "/a?x=%20&y=2"), ("/a?auth%54oken=t&x=1", "/a?x=1"),
    ])
  func query(_ target: String, _ expected: String) {
    let sent = forward(RequestHead(.get, target, authority: "a"), hidesToken: true)
    #expect(String(decoding: sent.target, as: UTF8.self) == expected)
  }

  @Test("a response receives the security fields, and loses the internal ones")
  func answer() {
    var head = ResponseHead(.ok, contentLength: 3)
    head.fields.append(.connection, "close")
    head.fields.append("x-trackme-account", "1")
    head.fields.append(.cacheControl, "public")
    head.fields.append(.requestID, "inner")
    head.fields.append(.contentType, "text/plain")
    var sent = head
    RelayPhase.rewrite(
      &sent, RelayPhase.Nature(isSecure: true, isPersonal: true, requestID: Array("n".utf8)))
    #expect(sent.fields["x-trackme-account"] == nil)
    #expect(!sent.fields.contains(.connection))
    #expect(sent.fields[.cacheControl] == "no-store")
    #expect(sent.fields[.requestID] == "n")
    #expect(sent.fields[.strictTransportSecurity] != nil)
    #expect(sent.fields[.xContentTypeOptions] == "nosniff")
    #expect(sent.fields[.contentType] == "text/plain")
    #expect(sent.contentLength == 3)
    var open = head
    RelayPhase.rewrite(
      &open, RelayPhase.Nature(isSecure: false, isPersonal: false, requestID: Array("n".utf8)))
    #expect(open.fields[.cacheControl] == "public")
    #expect(open.fields[.strictTransportSecurity] == nil)
  }
}
