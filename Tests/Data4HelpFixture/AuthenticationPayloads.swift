import Domain
import Foundation
import PublicAPI
import ServiceKit
import Testing

/// The request bodies of the people in these tests.
package enum Sent {
  package static let mario = [
    "email": "mario.rossi@example.org", "password": "correct horse battery",
    "fc": "RSSMRA80A01H501U", "full_name": "Mario Rossi", "birthdate": "1980-01-01", "sex": "M",
  ]
  package static let bianca = [
    "email": "bianca@example.org", "password": "another long phrase",
    "fc": "BNCLRA92D55F205E", "full_name": "Laura Bianchi", "birthdate": "1992-04-15", "sex": "F",
  ]
  package static let acme = [
    "email": "info@acme.example", "password": "company pass phrase", "piva": "12345670157",
    "company_name": "Acme S.p.A.", "company_description": "Studies of hearts.",
  ]

  package static func json(_ fields: [String: Any]) -> String {
    let data = try? JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}

extension [String: String] {
  /// A copy with another value for a field; nil removes the field.
  package func with(_ name: String, _ value: String?) -> [String: String] {
    var fields = self
    fields[name] = value
    return fields
  }
}

extension AuthenticationStage {
  package func registerPerson(_ fields: [String: String] = Sent.mario) async throws -> Reply {
    try await call(.registerSingleUser, Sent.json(fields))
  }

  package func registerCompany(_ fields: [String: String] = Sent.acme) async throws -> Reply {
    try await call(.registerThirdParty, Sent.json(fields))
  }

  package func activate(_ token: String, accept: String = "application/json") async throws -> Reply
  {
    try await call(.activate, query: "activToken=\(token)", fields: [("accept", accept)])
  }

  /// Registers a person and follows the link.
  package func makePerson(_ fields: [String: String] = Sent.mario) async throws {
    _ = try await registerPerson(fields)
    _ = try await activate(try await mailbox.nextToken())
  }

  package func login(
    _ fields: [String: String] = Sent.mario, password: String? = nil, replace: Bool? = nil
  ) async throws -> Reply {
    var body: [String: Any] = ["email": fields["email"] ?? ""]
    body["password"] = password ?? fields["password"]
    if let replace { body["replace"] = replace }
    return try await call(.login, Sent.json(body))
  }
}

/// Members, and their profiles.
extension AuthenticationStage {
  /// Registers, activates and logs in.
  package func person(_ fields: [String: Any] = Sent.mario) async throws -> Identity {
    try await member(.registerSingleUser, fields)
  }

  package func company(_ fields: [String: Any] = Sent.acme) async throws -> Identity {
    try await member(.registerThirdParty, fields)
  }

  private func member(_ endpoint: Endpoint, _ fields: [String: Any]) async throws -> Identity {
    let reply = try await call(endpoint, Sent.json(fields))
    try #require(reply.status == 200, "\(String(describing: reply.problem))")
    _ = try await activate(try await mailbox.nextToken())
    return try await logIn(fields["email"] as? String, fields["password"] as? String)
  }

  package func logIn(_ email: String?, _ password: String?) async throws -> Identity {
    let body = ["email": email ?? "", "password": password ?? ""]
    let login = try await call(.login, Sent.json(body))
    return try identity(of: try #require(login["authToken"]))
  }

  /// The profile as a JSON object.
  package func profile(_ endpoint: Endpoint, of identity: Identity) async throws -> NSDictionary {
    let reply = try await call(endpoint, by: identity)
    let object = try JSONSerialization.jsonObject(with: Data(reply.text.utf8))
    return try #require(object as? NSDictionary)
  }
}
