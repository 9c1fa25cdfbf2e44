import Domain
import Foundation
import PublicAPI

/// The request bodies of the people in these tests.
enum Sent {
  static let mario = [
    "email": "mario.rossi@example.org", "password": "correct horse battery",
    "fc": "RSSMRA80A01H501U", "full_name": "Mario Rossi", "birthdate": "1980-01-01", "sex": "M",
  ]
  static let bianca = [
    "email": "bianca@example.org", "password": "another long phrase",
    "fc": "BNCLRA92D55F205E", "full_name": "Laura Bianchi", "birthdate": "1992-04-15", "sex": "F",
  ]
  static let acme = [
    "email": "info@acme.example", "password": "company pass phrase", "piva": "12345670157",
    "company_name": "Acme S.p.A.", "company_description": "Studies of hearts.",
  ]

  static func json(_ fields: [String: Any]) -> String {
    let data = try? JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}

extension [String: String] {
  /// A copy with another value for a field; nil removes the field.
  func with(_ name: String, _ value: String?) -> [String: String] {
    var fields = self
    fields[name] = value
    return fields
  }
}

extension AuthenticationStage {
  func registerPerson(_ fields: [String: String] = Sent.mario) async throws -> Reply {
    try await call(.registerSingleUser, Sent.json(fields))
  }

  func registerCompany(_ fields: [String: String] = Sent.acme) async throws -> Reply {
    try await call(.registerThirdParty, Sent.json(fields))
  }

  func activate(_ token: String, accept: String = "application/json") async throws -> Reply {
    try await call(.activate, query: "activToken=\(token)", fields: [("accept", accept)])
  }

  /// Registers a person and follows the link.
  func makePerson(_ fields: [String: String] = Sent.mario) async throws {
    _ = try await registerPerson(fields)
    _ = try await activate(try await mailbox.nextToken())
  }

  func login(
    _ fields: [String: String] = Sent.mario, password: String? = nil, replace: Bool? = nil
  ) async throws -> Reply {
    var body: [String: Any] = ["email": fields["email"] ?? ""]
    body["password"] = password ?? fields["password"]
    if let replace { body["replace"] = replace }
    return try await call(.login, Sent.json(body))
  }
}
