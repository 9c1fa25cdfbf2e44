import Data4HelpFixture
import Domain
import Foundation
import Mail
import Operations
import PostgresFixture
import PublicAPI
import Requirements
import Synchronization
import Testing

@Suite("Sending data by mail")
struct DataMailingTests {
  @Test(
    "the file that is mailed is the one that is downloaded, and is recorded as a delivery",
    .tags(.R24, .REQ_5), arguments: ["csv", "ndjson", "json"])
  func attachment(format: String) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      let reply = try await stage.mail(requestID, format)
      #expect(reply["sentAs"] == "attachment")
      let mail = try #require(try await stage.sentMails().first)
      #expect(mail.to.text == "clinic@example.com")
      let file = try #require(mail.attachment)
      #expect(file.name == "\(requestID).\(format)")
      let accesses = try await stage.accessList().list("accesses")
      #expect(accesses.map { $0["format"] as? String } == ["mail"])
      #expect(accesses.map { $0["samples"] as? Int } == [3])
      #expect(accesses.map { $0["piva"] as? String } == ["12345670157"])
      let download = try await stage.data(requestID, format: format)
      #expect(String(decoding: file.bytes, as: UTF8.self) == download.text)
    }
  }

  @Test("nothing is mailed that could not be downloaded", .tags(.R24, .R14))
  func refused() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      #expect(try await stage.mail(requestID, "csv").status == 409)
      _ = try await stage.choose("accept", requestID)
      #expect(try await stage.mail(requestID, "csv", by: Known.studio).status == 404)
      #expect(try await stage.mail("6d1f0e6c-0e6b-4b0e-9f3e-1d2c3b4a5968", "csv").status == 404)
      let pdf = try await stage.mail(requestID, "pdf")
      #expect((pdf.status, pdf["field"]) == (400, "format"))
      _ = try await stage.endByPerson(requestID)
      #expect(try await stage.mail(requestID, "csv").status == 409)
      #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "0")
      #expect(try await stage.accessList().list("accesses").isEmpty)
    }
  }

  @Test("a mailing repeated under one key is sent and recorded once", .tags(.R24))
  func once() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      for _ in 0..<2 {
        let reply = try await stage.mail(requestID, "csv", key: "a")
        #expect(reply["sentAs"] == "attachment")
      }
      #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "1")
      #expect(try await stage.accessList().list("accesses").count == 1)
    }
  }

  @Test("a queued mail discloses neither the person nor the measurements", .tags(.NFR_5))
  func sealed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      _ = try await stage.mail(requestID, "csv")
      let found = try stage.cell(
        """
        SELECT count(*) FROM data4help.mails
         WHERE position('heartRate'::bytea IN sealed_message) > 0
            OR position(convert_to(encode('heartRate', 'base64'), 'UTF8') IN sealed_message) > 0
        """)
      #expect(found == "0")
      #expect(try await stage.sentMails().count == 1)
      #expect(try stage.cell("SELECT max(length(sealed_message)) FROM data4help.mails") == "0")
    }
  }

  @Test("more than one batch, or more than 1 MiB, is sent as a link without access", .tags(.R24))
  func link() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(9_999)
      let small = try await stage.ask()
      _ = try await stage.choose("accept", small)
      // 9999 lines of CSV are below 1 MiB, as many FHIR observations are not.
      #expect(try await stage.mail(small, "csv")["sentAs"] == "attachment")
      #expect(try await stage.mail(small, "fhir")["sentAs"] == "link")
      try await stage.store(2, minutesAgo: 5)
      let large = try await stage.ask()
      _ = try await stage.choose("accept", large)
      #expect(try await stage.mail(large, "csv")["sentAs"] == "link")
      let link = "https://trackme.test/req/tp/data?reqID=\(large)&format=csv"
      let mails = try await stage.sentMails()
      #expect(mails.count { $0.attachment == nil } == 2)
      #expect(mails.count { $0.text.contains(link) } == 1)
      // The linked file has not been delivered yet.
      let accesses = try await stage.accessList().list("accesses")
      #expect(accesses.map { $0["samples"] as? Int } == [9_999])
    }
  }

  @Test("the newest release of a group is mailed, in the formats it has", .tags(.R24))
  func groups() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1_001)
      let asked = try await stage.askGroup()
      let requestID = try #require(asked["reqID"])
      for format in ["csv", "json"] {
        #expect(try await stage.mail(requestID, format)["sentAs"] == "attachment")
        let download = try await stage.data(requestID, format: format)
        let file = try #require(try await stage.sentMails().first?.attachment)
        #expect(String(decoding: file.bytes, as: UTF8.self) == download.text)
      }
      #expect(try await stage.mail(requestID, "fhir").status == 400)
      #expect(try await stage.mail(requestID, "csv", by: Known.studio).status == 404)
      let none = try #require(try await stage.askGroup("\"age>=90\"")["reqID"])
      #expect(try await stage.mail(none, "csv").status == 409)
    }
  }
}

extension SingleRequestStage {
  fileprivate func mail(
    _ requestID: String, _ format: String, by company: AccountID = Known.clinic,
    key: String? = nil
  ) async throws -> Reply {
    try await call(
      .mailData, "{\"reqID\":\"\(requestID)\",\"format\":\"\(format)\"}", by: company,
      .thirdParty, fields: key.map { [("idempotency-key", $0)] } ?? [])
  }
}
