import Domain
import HTTP
import JSON
import PublicAPI
import Requirements
import Testing
import Web

@Suite("The table of endpoints")
struct EndpointTests {
  @Test("names and pairs of method and path are unique")
  func unique() {
    let endpoints = PublicAPI.endpoints
    #expect(Set(endpoints.map(\.operationID)).count == endpoints.count)
    #expect(Set(endpoints.map { "\($0.method.text) \($0.path)" }).count == endpoints.count)
  }

  @Test(
    "everything but registering, activating, logging in and looking at runs needs a token",
    .tags(.R5))
  func tokens() {
    let open = PublicAPI.endpoints.filter { $0.caller == .anyone }.map(\.path)
    let expected: Set<String> = [
      "/auth/reg/single", "/auth/reg/tp", "/auth/activ", "/auth/activ/resend", "/auth/login",
      "/auth/password/forgot", "/auth/password/reset", "/auth/documents",
      "/devices/pair/start", "/devices/pair/finish", "/t4r/active/list", "/t4r/active/spec",
      "/t4r/active/specUpdate", "/t4r/active/placings", "/t4r/active/stream", "/t4r/run/{code}",
      "/t4r/run/{code}/qr.svg", "/t4r/run/{code}/picture", "/r/{code}", "/r/{code}/preview.png",
      "/t4r/active/clauses", "/t4r/tiles/{z}/{x}/{y}",
      "/lookup/municipalities", "/lookup/provinces", "/lookup/regions", "/lookup/countries",
      "/lookup/diseases", "/lookup/dataTypes", "/", "/health", "/ready", "/openapi.json", "/docs",
      "/pay/confirm", "/sos/contact",
    ]
    #expect(Set(open) == expected)
  }

  @Test(
    "endpoints for guessing codes, passwords or existing accounts have stricter limits",
    .tags(.GW_5))
  func guarded() {
    let guarded = PublicAPI.endpoints.filter { $0.rate == .guarded }.map(\.operationID)
    #expect(
      Set(guarded) == [
        "answerAsContact", "changeSingleUser", "changeThirdParty", "choosePreconfirmed",
        "confirmPairing",
        "deleteAccount", "forgotPassword", "login", "registerSingleUser", "registerThirdParty",
        "resendActivation", "resetPassword", "rotateCallbackSecret", "setCoOrganiser",
        "startPairing", "storeCallback", "testCallback",
      ])
  }

  @Test("only logged-in single users search companies, at a limited rate", .tags(.GW_5))
  func searches() {
    let searches = PublicAPI.endpoints.filter { $0.rate == .searches }.map(\.operationID)
    #expect(searches == ["lookUpCompanies"])
  }

  @Test(
    "each field of a third party documents and permits its value after a deletion",
    .tags(.REQ_5), arguments: [Endpoint.listForSingleUser, .accesses])
  func deletedThirdParty(_ endpoint: Endpoint) throws {
    let names = ["email", "piva", "company_name", "company_description"]
    let fields = Self.fields(of: try #require(endpoint.answers.first?.schema))
      .filter { names.contains($0.name) }
    // The record of accesses contains two of these fields, in single entries and in sums.
    #expect(fields.count == 4)
    for field in fields {
      let isEmpty = field.name == "company_description"
      let words = isEmpty ? "Empty once" : "`deleted account` once"
      #expect(field.schema.description?.contains(words) == true, "\(field.name)")
      guard case .string(let rule) = field.schema.shape else {
        Issue.record("\(field.name) is not a text")
        continue
      }
      #expect(rule.format == nil)
      #expect(rule.lengthMin == (isEmpty ? 0 : field.isRequired ? 1 : nil))
    }
  }

  /// The fields of the objects in a list that is itself a field.
  private static func fields(of schema: JSONSchema) -> [JSONSchema.Property] {
    if case .anyOf(let shapes) = schema.shape { return shapes.flatMap(fields) }
    guard case .object(let properties) = schema.shape else { return [] }
    return properties.flatMap { property in
      guard case .array(let element, _, _) = property.schema.shape,
        case .object(let fields) = element.shape
      else { return [JSONSchema.Property]() }
      return fields
    }
  }

  @Test("the activation link has a side effect, so the gateway never retries it")
  func activation() {
    #expect(!Endpoint.activate.isRepeatable)
    #expect(Endpoint.statistics.isRepeatable)
    #expect(!Endpoint.upload.isRepeatable)
  }

  @Test(
    "cached responses are public, read-only and finite, and belong to runs or never change")
  func kept() {
    let kept = PublicAPI.endpoints.filter { $0.keptFor != nil }
    #expect(
      Set(kept.map(\.path)) == [
        "/t4r/active/list", "/t4r/active/spec", "/t4r/active/specUpdate", "/t4r/active/placings",
        "/t4r/run/{code}", "/lookup/municipalities", "/lookup/provinces", "/lookup/regions",
        "/lookup/countries", "/lookup/diseases", "/lookup/dataTypes",
      ])
    for endpoint in kept {
      #expect(endpoint.caller == .anyone)
      #expect(endpoint.isRepeatable && !endpoint.isEndless)
      // Requests to Track4Run invalidate its cached responses; those to other services don't.
      #expect(endpoint.service == .track4run || endpoint.path.hasPrefix("/lookup/"))
    }
  }

  @Test("responses with secrets are not stored for an Idempotency-Key")
  func secretAnswers() {
    let secret: [Endpoint] = [
      .login, .createKey, .startPairing, .confirmPairing, .finishPairing,
    ]
    for endpoint in secret { #expect(!endpoint.takesIdempotencyKey) }
    #expect(Endpoint.upload.takesIdempotencyKey)
  }

  @Test("a path finds its endpoint, HEAD counts as GET, and other methods are listed")
  func lookUp() throws {
    let table = EndpointTable(PublicAPI.endpoints)
    for endpoint in PublicAPI.endpoints {
      guard case .endpoint(let found) = table.find(endpoint.method, endpoint.path.utf8Span.span)
      else { throw Missing(path: endpoint.path) }
      #expect(found.operationID == endpoint.operationID)
    }
    guard case .endpoint(let head) = table.find(.head, "/data/stats".utf8Span.span) else {
      throw Missing(path: "/data/stats")
    }
    #expect(head.operationID == "statistics")
    guard case .otherMethods(let allow) = table.find(.delete, "/data/import".utf8Span.span) else {
      throw Missing(path: "/data/import")
    }
    #expect(allow == "POST, GET")
    for path in ["", "//", "/dat", "/data/stats/", "/Data/stats", "/data/stat"] {
      guard case .nothing = table.find(.get, path.utf8Span.span) else { throw Missing(path: path) }
    }
  }

  @Test("a path with parameters finds its endpoint, and one with other segments finds none")
  func parameters() throws {
    let table = EndpointTable(PublicAPI.endpoints)
    for (path, name) in [("/auth/keys/x", "revokeKey"), ("/devices/%C3%A8", "removeDevice")] {
      guard case .endpoint(let found) = table.find(.delete, path.utf8Span.span) else {
        throw Missing(path: path)
      }
      #expect(found.operationID == name)
      guard case .otherMethods("DELETE") = table.find(.get, path.utf8Span.span) else {
        throw Missing(path: path)
      }
    }
    // An exact path has priority over a matching pattern.
    guard case .otherMethods("POST") = table.find(.delete, "/devices/assign".utf8Span.span) else {
      throw Missing(path: "/devices/assign")
    }
    for path in ["/auth/keys/", "/auth/keys/x/", "/auth/keys/x/y", "/devices//", "/device/1"] {
      guard case .nothing = table.find(.delete, path.utf8Span.span) else {
        throw Missing(path: path)
      }
    }
  }

  @Test("a path parameter is validated by its type, in its canonical spelling", .tags(.GW_2))
  func pathValues() throws {
    let key = "123e4567-e89b-12d3-a456-426614174000"
    try Endpoint.revokeKey.checkPath(Array("/auth/keys/\(key)".utf8)[...])
    try Endpoint.removeDevice.checkPath(Array("/devices/2147483647".utf8)[...])
    for wrong in ["x", "0", "2147483648", "01", "+1", "1%20", "%FF"] {
      let problem = #expect(throws: Problem.self) {
        try Endpoint.removeDevice.checkPath(Array("/devices/\(wrong)".utf8)[...])
      }
      #expect(problem?.status == .badRequest && problem?.field == "deviceID", "\(wrong)")
    }
    #expect(throws: Problem.self) {
      try Endpoint.revokeKey.checkPath(Array("/auth/keys/\(key)0".utf8)[...])
    }
  }

  @Test(
    "an API key permits the actions of third parties, but not account management", .tags(.ACC_10))
  func programs() {
    // Push messages are for the browsers of people.
    let management = ["/auth/", "/settings/", "/notifications/push"]
    for endpoint in PublicAPI.endpoints {
      let isManagement =
        management.contains { endpoint.path.hasPrefix($0) }
        // The callback URL belongs to the account: a stolen API key must not redirect it.
        || ["storeCallback", "rotateCallbackSecret", "deleteCallback"].contains(
          endpoint.operationID)
      let expected = !isManagement && endpoint.admits(.thirdParty, .login)
      guard endpoint.caller != .anyone else { continue }
      #expect(endpoint.admits(.thirdParty, .program) == expected, "\(endpoint.path)")
    }
    #expect(Endpoint.sendSingle.takesPrograms)
  }

  @Test(
    "uploads, alerts and aborts go to their account's replica; some calls end or renew the session")
  func particulars() {
    let endpoints = PublicAPI.endpoints
    #expect(
      endpoints.filter(\.followsAccount).map(\.operationID)
        == ["upload", "raiseAlert", "abortEmergency"])
    #expect(endpoints.filter(\.opensSession).map(\.operationID) == ["login"])
    #expect(
      endpoints.filter(\.renewsSession).map(\.operationID)
        == ["changeSingleUser", "changeThirdParty"])
    #expect(endpoints.filter(\.endsSession).map(\.operationID) == ["logout", "deleteAccount"])
  }

  @Test("a device's token is valid for uploads and alarms, and nothing else", .tags(.DAT_3))
  func devices() {
    let open = PublicAPI.endpoints.filter { $0.admits(.singleUser, .device(1)) }
      .filter { $0.caller != .anyone }
    #expect(
      open.map(\.path) == [
        "/data/upload", "/events", "/sos/settings", "/sos/alert", "/sos/abort",
      ])
  }

  private struct Missing: Error { let path: String }
}

@Suite("Query parameters")
struct QueryParameterTests {
  @Test(
    "a parameter accepts valid values, and its error contains its name", .tags(.GW_2),
    arguments: [
      (QueryParameter.Kind.instant, "2024-02-29T08:30:00+01:00", "2024-02-30T08:30:00Z"),
      (.dataType, "heartRate", "heartrate"), (.dataTypes, "heartRate,steps", "heartRate,"),
      (.uuid, "123e4567-e89b-12d3-a456-426614174000", "123e4567"), (.choice(["a", "b"]), "b", "c"),
      (.integer(1...500), "500", "501"), (.coordinate, "45.4781,9.2273", "95,9"),
      (.text, String(repeating: "è", count: 500), String(repeating: "è", count: 501)),
    ])
  func kinds(kind: QueryParameter.Kind, good: String, bad: String) throws {
    let parameter = QueryParameter.required("x", kind, "")
    try parameter.check(query(good))
    let problem = #expect(throws: Problem.self) { try parameter.check(try query(bad)) }
    #expect(problem?.status == .badRequest && problem?.field == "x")
    #expect(problem?.error == "Malformed request")
  }

  @Test("a missing mandatory parameter is refused, a missing optional one is not", .tags(.GW_2))
  func missing() throws {
    try QueryParameter.optional("x", .uuid, "").check(Query())
    #expect(throws: Problem.self) { try QueryParameter.required("x", .uuid, "").check(Query()) }
  }

  private func query(_ value: String) throws -> Query {
    let encoded = value.utf8.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" + digits : digits)
    }.joined()
    return try Query(decoding: Array("x=\(encoded)".utf8)[...])
  }
}
