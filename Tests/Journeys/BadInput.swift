import HTTP
import Requirements
import Testing

/// The caller of an endpoint.
enum Role: String, Sendable {
  case anyone, single, thirdParty, either
}

/// An endpoint with a JSON body, as described by the contract.
struct PostCase: Sendable, CustomTestStringConvertible {
  let path: String
  let role: Role
  /// The response to a missing or wrong token.
  var refusal = Outcome(401, "Wrong token")
  /// A valid document; each of its members is mandatory.
  let document: JSONValue
  /// The members that may be null.
  var nullable: [String] = []
  /// The members shown to people, in which control characters are refused.
  var readable: [String] = []
  /// A method that the path does not support.
  var otherMethod = HTTPMethod.delete

  var testDescription: String { path }

  static let identifier: JSONValue = "00000000-0000-4000-8000-000000000000"

  static let all: [PostCase] = [
    PostCase(
      path: "/auth/reg/single", role: .anyone, document: Person(number: 900_001).registration),
    PostCase(
      path: "/auth/reg/tp", role: .anyone, document: Company(number: 900_002).registration),
    PostCase(
      path: "/auth/login", role: .anyone,
      document: ["email": "nobody@example.org", "password": "a long password"]),
    PostCase(path: "/auth/activ/resend", role: .anyone, document: ["email": "no@example.org"]),
    PostCase(path: "/auth/password/forgot", role: .anyone, document: ["email": "no@example.org"]),
    PostCase(
      path: "/auth/password/reset", role: .anyone,
      document: ["token": "x", "newPassword": "a long password"]),
    PostCase(path: "/sos/contact", role: .anyone, document: ["token": "x", "agree": true]),
    PostCase(
      path: "/auth/delete", role: .either, refusal: Outcome(403, "Wrong authentication"),
      document: ["password": "not the password", "confirm": "DELETE"]),
    PostCase(
      path: "/settings/single/info", role: .single, refusal: Outcome(403, "Wrong authentication"),
      document: ["password": .text(People.password)]),
    PostCase(
      path: "/settings/single/preconfirmed", role: .single, document: ["allowed": true]),
    PostCase(path: "/settings/single/status", role: .single, document: ["active": true]),
    PostCase(
      path: "/settings/tp/info", role: .thirdParty, refusal: Outcome(403, "Wrong authentication"),
      document: ["password": .text(People.password)]),
    PostCase(
      path: "/settings/single/data", role: .single, refusal: Outcome(403, "Wrong authentication"),
      document: ["types": ["steps"], "enabled": [true]]),
    PostCase(
      path: "/data/upload", role: .single, refusal: Outcome(403, "Wrong parameters"),
      document: [
        "dataTypes": ["heartRate"], "values": [70], "timestamp": ["2024-01-15T10:00:00Z"],
      ]),
    PostCase(
      path: "/data/pause", role: .single, document: ["until": "2024-01-15T10:00:00Z"],
      nullable: ["until"]),
    PostCase(
      path: "/sos/alert", role: .single,
      document: [
        "rule": "heartRateHigh",
        "readings": [
          ["dataType": "heartRate", "value": 150, "timestamp": "2024-01-15T10:00:00Z"]
        ],
      ]),
    PostCase(path: "/sos/abort", role: .single, document: ["episodeID": identifier]),
    PostCase(path: "/sos/falseAlarm", role: .single, document: ["episodeID": identifier]),
    PostCase(path: "/sos/duty", role: .thirdParty, document: ["onDuty": false]),
    PostCase(path: "/sos/acknowledge", role: .thirdParty, document: ["episodeID": identifier]),
    PostCase(
      path: "/sos/outcome", role: .thirdParty,
      document: ["episodeID": identifier, "outcome": "helped"]),
    PostCase(path: "/sos/enable", role: .single, document: ["callPermission": true]),
    PostCase(
      path: "/sos/thresholds", role: .single, document: ["heartRateHigh": 130],
      nullable: ["heartRateHigh"]),
    PostCase(
      path: "/sos/contacts", role: .single,
      document: ["contacts": [["name": "Anna", "email": "anna@example.org"]]]),
    PostCase(
      path: "/sos/pause", role: .single, document: ["until": "2024-01-15T10:00:00Z"],
      nullable: ["until"]),
    PostCase(
      path: "/req/tp/sendSingle", role: .thirdParty, refusal: Outcome(401, "Wrong parameters"),
      document: ["dataTypes": ["heartRate"], "subscribing": false]),
    PostCase(
      path: "/req/tp/sendGroup", role: .thirdParty, refusal: Outcome(403, "Wrong parameters"),
      document: ["dataTypes": ["heartRate"], "searchParams": ["age>=18"], "subscribing": false]),
    PostCase(
      path: "/req/tp/price", role: .thirdParty,
      document: ["dataTypes": ["heartRate"], "subscribing": false]),
    PostCase(
      path: "/req/single/choice", role: .single, refusal: Outcome(403, "Wrong parameters"),
      document: ["reqID": identifier, "choice": "accept"]),
    PostCase(path: "/notifications/read", role: .either, document: ["ids": [1]]),
    PostCase(path: "/notifications/mail", role: .either, document: ["kinds": ["request"]]),
    PostCase(
      path: "/notifications/push", role: .either,
      document: ["endpoint": "https://10.0.0.1/", "p256dh": "BAAA", "auth": "AAAA"],
      otherMethod: .put),
    PostCase(
      path: "/req/tp/callback", role: .thirdParty, document: ["url": "https://10.0.0.1/"],
      otherMethod: .put),
    PostCase(path: "/req/tp/callback/resend", role: .thirdParty, document: ["since": 0]),
    PostCase(path: "/req/single/end", role: .single, document: ["reqID": identifier]),
    PostCase(path: "/req/tp/end", role: .thirdParty, document: ["reqID": identifier]),
    PostCase(path: "/req/tp/pay", role: .thirdParty, document: ["reqID": identifier]),
    PostCase(
      path: "/pay/confirm", role: .anyone, document: ["type": "x", "data": ["object": [:]]]),
    PostCase(
      path: "/req/tp/mail", role: .thirdParty, document: ["reqID": identifier, "format": "csv"]),
    PostCase(
      path: "/auth/keys", role: .thirdParty, document: ["name": "nightly"], readable: ["name"]),
    PostCase(
      path: "/devices/pair/start", role: .anyone,
      document: ["name": "Watch", "model": "W1", "types": ["heartRate"]],
      readable: ["name", "model"]),
    PostCase(path: "/devices/pair/confirm", role: .single, document: ["code": "123456"]),
    PostCase(
      path: "/devices/pair/finish", role: .anyone,
      document: ["pairingID": identifier, "pairingSecret": "x"]),
    PostCase(
      path: "/devices/assign", role: .single,
      document: ["type": "heartRate", "deviceID": "1"]),
    PostCase(
      path: "/t4r/org/create", role: .thirdParty, refusal: Outcome(401, "Wrong credentials"),
      document: [
        "runName": "Half", "startTime": "2099-05-01T08:00:00Z",
        "endTime": "2099-05-01T11:00:00Z", "participants": 10,
      ],
      readable: ["runName"]),
    PostCase(
      path: "/t4r/org/path", role: .thirdParty, refusal: Outcome(401, "Wrong credentials"),
      document: ["runID": 999_999, "path": [["coordinate": "45.4642,9.19"]]]),
    PostCase(path: "/t4r/org/update", role: .thirdParty, document: ["runID": 999_999]),
    PostCase(
      path: "/t4r/org/coorganiser", role: .thirdParty,
      document: ["runID": 999_999, "email": "nobody@example.org", "allowed": true]),
    PostCase(path: "/t4r/org/cancel", role: .thirdParty, document: ["runID": 999_999]),
    PostCase(
      path: "/t4r/active/join", role: .single, refusal: Outcome(401, "Wrong credentials"),
      document: ["runID": 999_999]),
    PostCase(
      path: "/t4r/org/invite", role: .thirdParty,
      document: ["runID": 999_999, "emails": ["nobody@example.org"]]),
    PostCase(
      path: "/t4r/active/invite", role: .single,
      document: ["runID": 999_999, "emails": ["nobody@example.org"]]),
    PostCase(path: "/t4r/active/leave", role: .single, document: ["runID": 999_999]),
    PostCase(path: "/t4r/active/spec", role: .anyone, document: ["runID": 999_999]),
    PostCase(path: "/t4r/active/specUpdate", role: .anyone, document: ["runID": 999_999]),
    PostCase(
      path: "/t4r/my/pause", role: .single, document: ["runID": 999_999, "paused": true]),
  ]
}

/// A read-only endpoint.
struct GetCase: Sendable, CustomTestStringConvertible {
  let path: String
  let role: Role
  var refusal = Outcome(401, "Wrong token")
  /// Valid values of the mandatory query parameters.
  var query: [(String, String)] = []
  /// Invalid values by parameter.
  var wrong: [(String, String)] = []

  var testDescription: String { path }

  static let all: [GetCase] = [
    GetCase(path: "/auth/activ", role: .anyone, query: [("activToken", "x")]),
    GetCase(path: "/auth/password/reset", role: .anyone, query: [("token", "x")]),
    GetCase(path: "/sos/contact", role: .anyone, query: [("token", "x")]),
    GetCase(path: "/auth/me", role: .either),
    GetCase(path: "/auth/consents", role: .either),
    GetCase(path: "/auth/export", role: .either),
    GetCase(path: "/auth/documents", role: .anyone),
    GetCase(path: "/settings/single", role: .single),
    GetCase(
      path: "/settings/single/preconfirmed", role: .single,
      wrong: [("limit", "0"), ("limit", "501")]),
    GetCase(
      path: "/lookup/municipalities", role: .anyone, query: [("query", "mil")],
      wrong: [("limit", "0"), ("limit", "21")]),
    GetCase(
      path: "/lookup/companies", role: .single, query: [("query", "cli")],
      wrong: [("limit", "0"), ("limit", "21")]),
    GetCase(path: "/settings/tp", role: .thirdParty),
    GetCase(path: "/auth/keys", role: .thirdParty),
    GetCase(path: "/devices", role: .single),
    GetCase(
      path: "/settings/single/data", role: .single, refusal: Outcome(403, "Wrong authentication")),
    GetCase(
      path: "/data/stats", role: .single, refusal: Outcome(403, "Wrong parameters"),
      wrong: [("from", "yesterday"), ("to", "2024-13-01T00:00:00Z"), ("types", "mood")]),
    GetCase(
      path: "/data/series", role: .single, refusal: Outcome(403, "Wrong parameters"),
      query: [("type", "heartRate")], wrong: [("granularity", "year"), ("from", "0")]),
    GetCase(
      path: "/data/compare", role: .single, refusal: Outcome(403, "Wrong parameters"),
      query: [("type", "heartRate")], wrong: [("type", "position"), ("type", "mood")]),
    GetCase(path: "/data/quota", role: .single),
    GetCase(path: "/sos/settings", role: .single),
    GetCase(
      path: "/sos/history", role: .single,
      wrong: [("limit", "0"), ("limit", "501"), ("cursor", "x")]),
    GetCase(path: "/sos/calls", role: .thirdParty, wrong: [("limit", "0"), ("limit", "501")]),
    GetCase(
      path: "/data/accesses", role: .single, wrong: [("limit", "0"), ("limit", "501")]),
    GetCase(
      path: "/data/import", role: .single,
      query: [("importID", "00000000-0000-4000-8000-000000000000")]),
    GetCase(
      path: "/req/single/list", role: .single, refusal: Outcome(403, "Wrong token"),
      wrong: [("limit", "many")]),
    GetCase(
      path: "/req/tp/list", role: .thirdParty, refusal: Outcome(403, "Wrong parameters"),
      wrong: [("limit", "-1")]),
    GetCase(
      path: "/req/tp/data", role: .thirdParty,
      query: [("reqID", "00000000-0000-4000-8000-000000000000")], wrong: [("format", "pdf")]),
    GetCase(
      path: "/notifications", role: .either, wrong: [("limit", "0"), ("limit", "501")]),
    GetCase(path: "/req/tp/events", role: .thirdParty, wrong: [("since", "-1"), ("since", "x")]),
    GetCase(path: "/req/tp/callback", role: .thirdParty),
    GetCase(
      path: "/req/tp/callback/log", role: .thirdParty, wrong: [("limit", "0"), ("limit", "501")]),
    GetCase(
      path: "/req/tp/payments", role: .thirdParty, wrong: [("limit", "0"), ("limit", "501")]),
    GetCase(path: "/req/tp/stream", role: .thirdParty),
    GetCase(path: "/events", role: .either),
    GetCase(
      path: "/t4r/active/list", role: .anyone,
      wrong: [("near", "here"), ("radius", "0"), ("state", "over")]),
    GetCase(
      path: "/t4r/org/list", role: .thirdParty,
      wrong: [("when", "now"), ("limit", "0"), ("limit", "501"), ("cursor", "x")]),
    GetCase(
      path: "/t4r/org/participants", role: .thirdParty, query: [("runID", "999999")],
      wrong: [("runID", "0"), ("runID", "x"), ("limit", "501"), ("cursor", "x")]),
    GetCase(
      path: "/t4r/my/list", role: .single, wrong: [("limit", "0"), ("cursor", "x")]),
    GetCase(
      path: "/t4r/active/placings", role: .anyone, query: [("runID", "999999")],
      wrong: [("runID", "0"), ("runID", "x")]),
    GetCase(
      path: "/t4r/active/stream", role: .anyone, query: [("runID", "999999")],
      wrong: [("runID", "0"), ("runID", "x")]),
    GetCase(
      path: "/t4r/my/stats", role: .single, query: [("runID", "999999")],
      wrong: [("runID", "0"), ("runID", "x")]),
    GetCase(
      path: "/t4r/org/download", role: .thirdParty, query: [("runID", "999999")],
      wrong: [("runID", "0"), ("runID", "x"), ("format", "xml")]),
    GetCase(
      path: "/t4r/org/live", role: .thirdParty, query: [("runID", "999999")],
      wrong: [("runID", "0"), ("runID", "x")]),
  ]

  func target(_ more: [(String, String)] = [], without left: String? = nil) -> String {
    let pairs = query.filter { pair in pair.0 != left && !more.contains { $0.0 == pair.0 } } + more
    let text = pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    return pairs.isEmpty ? path : "\(path)?\(text)"
  }
}

/// The accounts shared by all rows of the matrix.
struct MatrixAccounts: Sendable {
  let single: SingleUser
  let party: ThirdParty

  static func shared() async throws -> MatrixAccounts { try await usual.value }
  private static let usual = Task {
    let system = try await TestSystem.shared()
    return MatrixAccounts(
      single: try await system.singleUser(), party: try await system.thirdParty())
  }

  func token(_ role: Role) -> String? {
    switch role {
    case .anyone: nil
    case .single, .either: single.token
    case .thirdParty: party.token
    }
  }

  /// No token, a malformed one, a forged one, and one of the wrong kind of account.
  func wrongTokens(_ role: Role) -> [String?] {
    let forged = String(single.token.dropLast(4)) + "AAAA"
    switch role {
    case .anyone: return []
    case .either: return [nil, "x", forged]
    case .single: return [nil, "x", forged, party.token]
    case .thirdParty: return [nil, "x", forged, single.token]
    }
  }
}
