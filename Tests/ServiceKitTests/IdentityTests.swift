import Cryptography
import Domain
import HTTP
import Operations
import PublicAPI
import Requirements
import ServiceKit
import Testing
import Web

@Suite("Callers")
struct IdentityTests {
  private let session = TokenHash(digest: SHA256.digest(of: "token".utf8Span.span))

  private func fields(account: String?, kind: String?, session: String?) -> HTTPFields {
    var fields = HTTPFields()
    if let account { fields.append("x-trackme-account", account) }
    if let kind { fields.append("x-trackme-kind", kind) }
    if let session { fields.append("x-trackme-session", session) }
    return fields
  }

  @Test("the gateway's fields name the account, its kind and its session", .tags(.R5))
  func complete() {
    let identity = Identity(
      fields(account: "42", kind: "single", session: session.hexadecimal))
    #expect(
      identity
        == Identity(account: AccountID(rawValue: 42), kind: .singleUser, session: session))
  }

  @Test(
    "a missing or misspelt field identifies no caller", .tags(.R5),
    arguments: [
      (nil, "single", true), ("42", nil, true), ("42", "single", false), ("x", "single", true),
      ("42", "Single", true),
    ] as [(String?, String?, Bool)])
  func incomplete(account: String?, kind: String?, hasSession: Bool) {
    let session = hasSession ? session.hexadecimal : String(session.hexadecimal.dropLast())
    #expect(Identity(fields(account: account, kind: kind, session: session)) == nil)
  }

  @Test("endpoints of one kind of account admit no other", .tags(.R1))
  func kinds() {
    #expect(Endpoint.upload.admits(.singleUser, .login))
    #expect(!Endpoint.upload.admits(.thirdParty, .login))
    #expect(!Endpoint.sendSingle.admits(.singleUser, .login))
    #expect(Endpoint.me.admits(.thirdParty, .login))
  }
}

@Suite("Routes of endpoints")
struct EndpointRoutesTests {
  private let routes = EndpointRoutes()

  private func request(kind: String) -> Request {
    var head = RequestHead(.get, "/x", authority: "test")
    head.fields.append("x-trackme-account", "7")
    head.fields.append("x-trackme-kind", kind)
    head.fields.append(
      "x-trackme-session", TokenHash(digest: SHA256.digest(of: "t".utf8Span.span)).hexadecimal)
    return Request(head: head)
  }

  @Test("the wrong kind of account is refused in the endpoint's own words", .tags(.R1))
  func wrongKind() async {
    let route = routes.identified(.upload) { _, _ in Response() }
    let refused = await #expect(throws: Problem.self) {
      _ = try await route.handler(request(kind: "tp"))
    }
    #expect(refused?.status == .forbidden && refused?.error == "Wrong parameters")
    await #expect(throws: Never.self) {
      _ = try await route.handler(request(kind: "single"))
    }
  }
}

@Suite("Services behind the gateway")
struct InnerServiceTests {
  private let root = RootSecret.random()

  private func head(_ secrets: RootSecret...) -> RequestHead {
    var head = RequestHead(.post, "/x", authority: "test")
    for secret in secrets {
      InternalSecret(root: secret).withHeaderValue {
        head.fields.append(.internalSecret, copying: $0)
      }
    }
    return head
  }

  @Test("requests from outside our own processes are answered with not found", .tags(.GW_1))
  func secret() {
    let service = Service.inner(Router([]), secret: InternalSecret(root: root), log: .none)
    #expect(throws: Problem.notFound) { try service.admit(head(), .unix) }
    #expect(throws: Problem.notFound) { try service.admit(head(.random()), .unix) }
    #expect(throws: Problem.notFound) { try service.admit(head(.random(), root), .unix) }
    #expect(throws: Never.self) { try service.admit(head(root), .unix) }
  }
}
