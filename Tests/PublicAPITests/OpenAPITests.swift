import Foundation
import HTTP
import PublicAPI
import Requirements
import Testing

@Suite("The OpenAPI document")
struct OpenAPITests {
  private let document: [String: Any]

  init() throws {
    let bytes = OpenAPI(serverURL: "https://example.org").json()
    document = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  @Test("every endpoint stands in it with its answers and errors")
  func complete() throws {
    #expect(document["openapi"] as? String == "3.1.0")
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    for endpoint in PublicAPI.endpoints {
      let operation = try #require(paths[endpoint.path]?[endpoint.method.text.lowercased()])
      #expect(operation["operationId"] as? String == endpoint.operationID)
      let responses = try #require(operation["responses"] as? [String: Any])
      for answer in endpoint.answers { #expect(responses["\(answer.status.code)"] != nil) }
      for error in endpoint.errors { #expect(responses["\(error.status.code)"] != nil) }
      #expect(responses["400"] != nil && responses["503"] != nil)
      #expect((operation["security"] != nil) == (endpoint.caller != .anyone))
    }
  }

  @Test("a body stands in it with its mandatory fields")
  func body() throws {
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    let operation = try #require(paths["/auth/reg/single"]?["post"])
    let content = try #require(
      (operation["requestBody"] as? [String: Any])?["content"] as? [String: [String: Any]])
    let schema = try #require(content["application/json"]?["schema"] as? [String: Any])
    let required = try #require(schema["required"] as? [String])
    #expect(Set(required) == ["email", "password", "fc", "full_name", "birthdate", "sex"])
  }
}
