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

  @Test("it contains every data type with unit, plausible range and LOINC", .tags(.DAT_2))
  func dataTypes() throws {
    let text = String(decoding: OpenAPI(serverURL: "https://example.org").json(), as: UTF8.self)
      .replacing("\\/", with: "/")
    for meaning in [
      "`position`: lat,lon in WGS 84", "`heartRate`: BPM, 20 to 250, LOINC 8867-4",
      "`bloodPressureSystolic`: mmHg, 40 to 300, LOINC 8480-6",
      "`bloodPressureDiastolic`: mmHg, 20 to 200, LOINC 8462-4",
      "`oxygenSaturation`: %, 40 to 100, LOINC 2708-6 and 59408-5",
      "`respiratoryRate`: /min, 3 to 80, LOINC 9279-1",
      "`bodyTemperature`: °C, 25 to 45, LOINC 8310-5",
      "`bloodGlucose`: mg/dL, 10 to 1000, LOINC 41653-7",
      "`weight`: kg, 0.5 to 500, LOINC 29463-7", "`height`: m, 0.2 to 2.8, LOINC 8302-2",
      "`steps`: steps, 0 to 100000, LOINC 55423-8", "`walkingRunningDistance`: m, 0 to 200000",
      "`standHours`: h, 0 to 24", "`activeEnergy`: kcal, 0 to 20000, LOINC 41981-2",
      "`restingEnergy`: kcal, 0 to 20000", "`nutritionEnergy`: kcal, 0 to 20000, LOINC 9052-2",
      "`sleepHours`: h, 0 to 24, LOINC 93832-4", "`speed`: m/s, 0 to 100",
      "`ambientPressure`: hPa, 300 to 1100", "`activity`: `indoor` or `outdoor`", "`fall`: `1`",
      "`shaking`: `1`", "`ecg`: `sinus` or `atrial fibrillation` or `inconclusive`",
    ] {
      #expect(text.contains(meaning), "\(meaning)")
    }
  }

  @Test("it contains every endpoint with its responses and errors")
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

  @Test(
    "the recipient's address is not declared as an email, because deleted accounts have none",
    .tags(.ACC_8))
  func addressee() throws {
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    let operation = try #require(paths["/req/tp/list"]?["get"])
    let answers = try #require(operation["responses"] as? [String: [String: Any]])
    let content = try #require(answers["200"]?["content"] as? [String: [String: Any]])
    let schema = try #require(content["application/json"]?["schema"] as? [String: Any])
    let fields = try #require(schema["properties"] as? [String: [String: Any]])
    let row = try #require(fields["requests"]?["items"] as? [String: Any])
    let columns = try #require(row["properties"] as? [String: [String: Any]])
    let email = try #require(columns["email"])
    #expect(email["type"] as? String == "string")
    #expect(email["format"] == nil)
  }

  @Test("it contains a body with its mandatory fields")
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
