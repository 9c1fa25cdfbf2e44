import Data4HelpFixture
import Domain
import HTTP
import PostgresFixture
import PublicAPI
import Requirements
import Testing

@Suite("Sending single requests")
struct SendSingleRequestTests {
  @Test("a request names its person by email or by fiscal code", .tags(.R10, .R11, .R18))
  func identifiers() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      let byEmail = try await stage.send(
        """
        {"email":"Mario.Rossi@EXAMPLE.org","dataTypes":["heartRate"],"subscribing":false}
        """)
      #expect(byEmail.status == 200)
      #expect(byEmail["status"] == "pending")
      let byCode = try await stage.send(
        "{\"fc\":\"rssmra80a01h501u\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}")
      #expect(byCode.status == 200)
      let list = try await stage.companyList().list("requests")
      #expect(list.count == 2)
      #expect(list.compactMap { $0["email"] as? String } == [Known.marioEmail])
      #expect(list.compactMap { $0["fc"] as? String } == [Known.marioCode])
      #expect(try await stage.personList().list("requests").count == 2)
      #expect(try await stage.personList(of: Known.laura).list("requests").isEmpty)
    }
  }

  // A request is one body: each of its fields is a separate requirement.
  @Test(
    "no identifier, both identifiers, and senseless values are refused",
    .tags(.R11, .R18, .R19, .R20, .REQ_6))
  func refused() async throws {
    try await SingleRequestStage.with { stage in
      for (body, field) in Self.senseless {
        let reply = try await stage.send("{\(body)}")
        #expect(reply.status == 400, "\(body)")
        #expect(reply["error"] == "Malformed request")
        #expect(reply["field"] == field, "\(body)")
      }
    }
  }

  private static let senseless: [(String, String)] = [
    ("\"dataTypes\":[\"heartRate\"],\"subscribing\":false", "email"),
    (
      "\"email\":\"a@b.it\",\"fc\":\"RSSMRA80A01H501U\",\"dataTypes\":[\"heartRate\"],"
        + "\"subscribing\":false", "email"
    ),
    ("\"fc\":\"RSSMRA80A01H501X\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false", "fc"),
    ("\"email\":\"a@b.it\",\"dataTypes\":[],\"subscribing\":false", "dataTypes"),
    ("\"email\":\"a@b.it\",\"dataTypes\":[\"mood\"],\"subscribing\":false", "dataTypes[0]"),
    (
      "\"email\":\"a@b.it\",\"dataTypes\":[\"steps\",\"steps\"],\"subscribing\":false",
      "dataTypes"
    ),
    ("\"email\":\"a@b.it\",\"dataTypes\":[\"steps\"],\"subscribing\":true", "duration"),
    (
      "\"email\":\"a@b.it\",\"dataTypes\":[\"steps\"],\"subscribing\":true,\"duration\":0",
      "duration"
    ),
    (
      "\"email\":\"a@b.it\",\"dataTypes\":[\"steps\"],\"subscribing\":false,"
        + "\"to\":\"2030-01-01T00:00:00Z\"", "subscribing"
    ),
    (
      "\"email\":\"a@b.it\",\"dataTypes\":[\"steps\"],\"subscribing\":false,"
        + "\"from\":\"2020-01-02T00:00:00Z\",\"to\":\"2020-01-01T00:00:00Z\"", "from"
    ),
    ("\"email\":\"a@b.it\",\"subscribing\":false", "dataTypes"),
    ("\"email\":\"a@b.it\",\"dataTypes\":[\"steps\"]", "subscribing"),
    ("\"reqID\":\"1\",\"email\":\"a@b.it\",\"dataTypes\":[\"steps\"]", "reqID"),
  ]

  @Test("null and an empty string count as left out, and 0 as no duration", .tags(.R10, .R11))
  func everyField() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let email = Known.marioEmail
      for (empty, zero) in [("\"\"", "0"), ("null", "null"), ("\"\"", "\"\"")] {
        let byEmail = try await stage.send(
          """
          {"reqID":\(empty),"email":"\(email)","fc":\(empty),"dataTypes":["heartRate"],
           "subscribing":false,"duration":\(zero)}
          """)
        #expect(byEmail.status == 200, "\(byEmail.text)")
        let byCode = try await stage.send(
          """
          {"reqID":\(empty),"email":\(empty),"fc":"\(Known.marioCode)","dataTypes":["heartRate"],
           "subscribing":false,"duration":\(zero)}
          """)
        #expect(byCode.status == 200, "\(byCode.text)")
        let nobody = try await stage.send(
          """
          {"email":\(empty),"fc":\(empty),"dataTypes":["heartRate"],"subscribing":false}
          """)
        #expect((nobody.status, nobody["field"]) == (400, "email"))
      }
      let durations = try await stage.companyList().list("requests").map { $0["duration"] as? Int }
      #expect(durations == [0, 0, 0, 0, 0, 0])
      let people = try await stage.personList().list("requests").map { $0["duration"] as? Int }
      #expect(people == durations)
    }
  }

  @Test("a future end may replace a duration", .tags(.R20, .REQ_6))
  func futureEnd() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask(
        "\"heartRate\"", ",\"subscribing\":true,\"to\":\"2026-11-19T12:00:00Z\"")
      _ = try await stage.choose("accept", requestID)
      let entry = try await stage.companyList().list("requests")[0]
      #expect(entry["endsAt"] as? String == "2026-11-19T12:00:00Z")
    }
  }

  @Test(
    "unknown and inactive people, companies, and people without such data have one answer",
    .tags(.R22, .ACC_9))
  func oneAnswer() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      func refusal(_ email: String) async throws -> String {
        let reply = try await stage.send(
          "{\"email\":\"\(email)\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}")
        #expect(reply.status == 401)
        #expect(reply["error"] == "Wrong parameters")
        #expect(reply.fields["www-authenticate"] != nil)
        return reply.text
      }
      let unknown = try await refusal("nobody@example.org")
      #expect(try await refusal(Known.marioEmail) == unknown)
      #expect(try await refusal("studio@example.com") == unknown)
      try await stage.store(1)
      for state in [1, 3] {
        try stage.run(
          "UPDATE data4help.accounts SET state = \(state) WHERE account_id = \(Known.mario)")
        #expect(try await refusal(Known.marioEmail) == unknown)
      }
      try stage.run("UPDATE data4help.accounts SET state = 2")
      // Stored, but switched off.
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = 4")
      #expect(try await refusal(Known.marioEmail) == unknown)
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = 0")
      _ = try await stage.ask()
    }
  }

  @Test(
    "a request to an unknown person runs the same statements as one without such data",
    .tags(.R22))
  func sameStatements() async throws {
    try await SingleRequestStage.with { first in
      try await first.populate()
      let log = try StatementLog(of: first.installation.data, role: "data4help")
      // A replica with new connections, so that they are logged.
      try await SingleRequestStage.replica(of: first.installation) { stage in
        try await Self.compareStatements(of: stage, log)
      }
    }
  }

  private static func compareStatements(
    of stage: SingleRequestStage, _ log: StatementLog
  ) async throws {
    func statements(_ email: String) async throws -> [String] {
      let start = try log.length()
      let reply = try await stage.send(
        "{\"email\":\"\(email)\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}")
      #expect(reply.status == 401, "\(reply.text)")
      return try log.statements(from: start)
    }
    // On connections that are open by then.
    for _ in 0..<3 { _ = try await statements("nobody@example.org") }
    let unknown = try await statements("nobody@example.org")
    #expect(unknown.count >= 2, "\(unknown)")
    let without = try await statements(Known.marioEmail)
    #expect(without == unknown)
    let company = try await statements("studio@example.com")
    #expect(company == unknown)
    try await stage.store(1)
    try stage.run("UPDATE data4help.accounts SET state = 3 WHERE account_id = \(Known.mario)")
    let closed = try await statements(Known.marioEmail)
    #expect(closed == unknown)
  }

  @Test("one available type among those asked for is enough", .tags(.R22, .R23))
  func oneOfMany() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      _ = try await stage.ask("\"steps\",\"heartRate\"")
      let refused = try await stage.send(
        "{\"email\":\"\(Known.marioEmail)\",\"dataTypes\":[\"steps\"],\"subscribing\":false}")
      #expect(refused.status == 401)
    }
  }

  @Test("a client's reqID sends one request, for this client only", .tags(.R10))
  func repeatedIdentifier() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let identifier = "123e4567-e89b-12d3-a456-426614174000"
      func body(_ types: String) -> String {
        """
        {"reqID":"\(identifier)","email":"\(Known.marioEmail)","dataTypes":[\(types)],
         "subscribing":true,"to":"2026-11-18T13:00:00Z"}
        """
      }
      let first = try await stage.send(body("\"heartRate\""))
      #expect(first.status == 200)
      #expect(first["reqID"] == identifier)
      // The person is inactive and the time is over: the answer is the first one.
      try stage.run("UPDATE data4help.accounts SET state = 3 WHERE kind = 1")
      stage.clock.advance(seconds: 7200)
      let second = try await stage.send(body("\"heartRate\""))
      #expect(second.text == first.text)
      let other = try await stage.send(body("\"steps\""))
      #expect(other.status == 422)
      #expect(other["error"] == "Key reused")
      #expect(other["field"] == "reqID")
      #expect(other["detail"]?.hasPrefix("This reqID was used") == true)
      let stranger = try await stage.send(body("\"heartRate\""), by: Known.studio)
      #expect(stranger.status == 400)
      #expect(stranger["field"] == "reqID")
      #expect(try stage.cell("SELECT count(*) FROM data4help.single_requests") == "1")
    }
  }

  @Test("the person asked is stored nowhere in clear text", .tags(.NFR_5))
  func sealed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.ask()
      let found = try stage.cell(
        """
        SELECT count(*) FROM data4help.single_requests
         WHERE position('mario'::bytea IN sealed_addressee) > 0
        """)
      #expect(found == "0")
    }
  }
}
