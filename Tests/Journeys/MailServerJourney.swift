import Foundation
import Requirements
import Support
import Testing

@Suite("A mail server that misbehaves, under a running system")
struct MailServerJourney {
  /// The server's one-time behaviour for each mail, and the final number of copies.
  private static let manners = [
    ("cut", 1), ("half", 1), ("dot", 1), ("full", 1), ("slow", 1), ("twice", 2),
  ]

  @Test(
    "refusing or closing after DATA loses no mail, and duplicates only mails stored unanswered",
    .tags(.ACC_1), .timeLimit(.minutes(5)))
  func afterData() async throws {
    let directory = FileManager.default.temporaryDirectory.path + "/tmml-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let port = try FreePorts.take()
    let process = try await Program(
      command: [TestSystem.python, Self.script, "\(port)", directory + "/mail"]
    ).serve(output: directory + "/log")
    defer { kill(process, SIGKILL) }
    let system = try await TestSystem(["TRACKME_SMTP_URL": "smtp://127.0.0.1:\(port)"])
    let client = try PublicClient(system)
    defer { client.close() }
    var addresses: [String: String] = [:]
    for (manner, _) in Self.manners {
      let person = People.person()
      let address = "\(manner)-\(person.email)"
      addresses[manner] = address
      guard case .object(var registration) = person.registration else { continue }
      registration["email"] = .text(address)
      let reply = try await client.post("/auth/reg/single", .object(registration))
      #expect(reply.status == 200, "\(reply.text)")
    }
    for (manner, count) in Self.manners {
      let address = try #require(addresses[manner])
      _ = try await eventually("the mail of \(manner)") {
        let mails = try Self.mails(to: address, in: directory + "/mail")
        return mails.count >= count ? true : nil
      }
    }
    // All mails were answered at the end: no further one arrives.
    _ = try await eventually("an answer to each mail") { () async throws -> Bool? in
      var sent = 0
      for port in [system.metricsPort + 1, system.metricsPort + 2] {
        let text = try await system.run("curl", "-s", "http://127.0.0.1:\(port)/metrics").output
        sent += text.firstMatch(of: /\ntrackme_mail_sent_total (\d+)/).flatMap { Int($0.1) } ?? 0
      }
      if sent == Self.manners.count { return true }
      // A mail is retried after ten seconds, and each poll starts a process.
      try await pause(.milliseconds(500))
      return nil
    }
    for (manner, count) in Self.manners {
      let mails = try Self.mails(to: try #require(addresses[manner]), in: directory + "/mail")
      #expect(mails.count == count, "\(manner)")
      let names = mails.compactMap { $0.firstMatch(of: /Message-ID: (\S+)/)?.1 }
      #expect(Set(names).count == 1, "\(manner)")
      #expect(mails.allSatisfy { $0.contains("/auth/activ?activToken=") }, "\(manner)")
    }
    await system.stop()
  }

  private static func mails(to address: String, in directory: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    return try names.filter { $0.hasSuffix(".eml") }.compactMap { name in
      let bytes = try Data(contentsOf: URL(filePath: "\(directory)/\(name)"))
      let text = String(decoding: bytes, as: UTF8.self)
      return text.contains("To: <\(address)>") ? text : nil
    }
  }

  private static let script =
    URL(filePath: #filePath).deletingLastPathComponent().path + "/mailserver.py"
}
