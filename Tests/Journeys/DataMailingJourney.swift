import Foundation
import Requirements
import Testing

@Suite("Data by mail, through the gateway and a mail server")
struct DataMailingJourney {
  @Test(
    "the attachment received by the mail server equals the download, and the person sees it",
    .tags(.R24, .REQ_5), arguments: ["csv", "ndjson", "fhir"])
  func attached(format: String) async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    try await user.upload(
      "heartRate", [("2024-01-15T10:00:00Z", 61), ("2024-01-15T11:00:00Z", 62)])
    let request = try await party.ask(user, for: ["heartRate"])
    let order: JSONValue = ["reqID": .text(request), "format": .text(format)]
    #expect(try await party.post("/req/tp/mail", order).outcome == Outcome(409, "Wrong state"))
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    let sent = try await party.post("/req/tp/mail", order)
    #expect(sent.json.sentAs == "attachment", "\(sent.text)")
    let name = "\(request).\(format == "fhir" ? "fhir.json" : format)"
    let mail = try await system.mailbox.mail(
      to: party.company.email, with: "filename=\"\(name)\"")
    let file = try Self.attachment(of: mail, named: name)
    let download = try await party.get("/req/tp/data?reqID=\(request)&format=\(format)")
    if format == "fhir" {
      // Bundles contain the time of their creation; their entries are the same.
      #expect(try JSONValue(file).entry == download.json.entry)
    } else {
      #expect(String(decoding: file, as: UTF8.self) == download.text)
    }
    for secret in [user.person.email, user.person.fiscalCode, user.person.name] {
      #expect(!mail.contains(secret))
    }
    let accesses = try await user.get("/data/accesses").json.accesses.items
    #expect(accesses.map(\.format) == [.text(format), "mail"])
  }

  /// The decoded bytes of a mail's attachment.
  private static func attachment(of mail: String, named name: String) throws -> [UInt8] {
    let head = "Content-Disposition: attachment; filename=\"\(name)\"\n\n"
    let start = try #require(mail.range(of: head)?.upperBound, "\(mail)")
    // The padding is restored, because the mailbox treats it as a soft break at the end of a line.
    let digits = mail[start...].prefix { $0 != "-" && $0 != "=" }.filter { !$0.isWhitespace }
    let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
    let bytes = Data(base64Encoded: String(digits) + padding)
    return Array(try #require(bytes))
  }
}
