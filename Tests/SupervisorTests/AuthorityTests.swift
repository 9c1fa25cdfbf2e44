import Foundation
import HTTP
import Operations
import OperatorTool
import Requirements
import Support
import Testing

@Suite("The private authority", .tags(.OPS_3))
struct AuthorityTests {
  private static let day: Int64 = 86_400
  private static let start: Int64 = 1_800_000_000

  private func directory(_ path: String, day: Int64 = 0) -> AuthorityDirectory {
    AuthorityDirectory(path: "\(path)/authority", now: Self.start + day * Self.day)
  }

  private func bytes(_ path: String, _ name: String) throws -> [UInt8] {
    try FileSystem.read("\(path)/authority/\(name)", bytesMax: 65_536)
  }

  private func holders(_ names: String...) throws -> [CertificateHolder] {
    try names.map { try CertificateHolder($0) }
  }

  private func isSigned(_ path: String, _ holder: String, by name: String) throws -> Bool {
    let (chain, trusted) = (try bytes(path, "\(holder)/certificate.pem"), try bytes(path, name))
    do throws(TLSError) {
      try CertificateFacts.verify(chain, by: trusted, for: holder)
      return true
    } catch {
      return false
    }
  }

  @Test("it is created once, with secret keys, and issues certificates of thirty days")
  func issue() async throws {
    try await withTemporaryDirectory { path in
      let authority = directory(path)
      #expect(throws: StartError.self) { try authority.issue(holders("gateway")) }
      #expect(throws: StartError.self) { try authority.renew() }
      try authority.create()
      #expect(throws: StartError.self) { try authority.create() }
      let names = [
        "gateway", "data4help", "track4run", "monitoring", "database-1=10.91.3.11,db.example",
      ]
      let paths = try authority.issue(names.map { try CertificateHolder($0) })
      #expect(
        paths.map { $0.split(separator: "/").last } == [
          "gateway", "data4help", "track4run", "monitoring", "database-1",
        ])
      for secret in ["signing.key", "gateway/key.pem", "database-1/key.pem"] {
        #expect(try FileSystem.permissions(of: "\(authority.path)/\(secret)") == 0o600)
      }
      #expect(try bytes(path, "gateway/authority.pem") == bytes(path, "signing.pem"))
      #expect(try isSigned(path, "data4help", by: "authority.pem"))
      try CertificateFacts.verify(
        bytes(path, "database-1/certificate.pem"), by: bytes(path, "authority.pem"),
        for: "db.example")
      for holder in ["gateway", "data4help", "track4run"] {
        try CertificateFacts.verify(
          bytes(path, "\(holder)/certificate.pem"), by: bytes(path, "authority.pem"),
          for: "metrics")
      }
      let validity = try CertificateFacts.validity(of: bytes(path, "gateway/certificate.pem"))
      #expect(validity.upperBound == Self.start + 30 * Self.day)
      try FileSystem.writeAtomically(
        "\(authority.path)/signing.key", bytes(path, "signing.key"), mode: 0o644)
      #expect(throws: StartError.self) { try authority.issue(holders("gateway")) }
    }
  }

  @Test("a certificate is renewed when a third of its life is left, and keeps its names")
  func renew() async throws {
    try await withTemporaryDirectory { path in
      try directory(path).create()
      _ = try directory(path).issue(holders("gateway", "database=db.example"))
      #expect(try directory(path, day: 20).renew() == [])
      _ = try directory(path, day: 19).issue(holders("data4help"))
      let kept = try bytes(path, "data4help/certificate.pem")
      #expect(try directory(path, day: 21).renew() == ["gateway", "database"])
      #expect(try bytes(path, "data4help/certificate.pem") == kept)
      let chain = try bytes(path, "database/certificate.pem")
      try CertificateFacts.verify(chain, by: bytes(path, "authority.pem"), for: "db.example")
      #expect(
        try CertificateFacts.validity(of: chain).upperBound == Self.start + 51 * Self.day)
      #expect(try directory(path, day: 21).renew() == [])
      try FileSystem.remove("\(path)/authority/gateway/key.pem")
      try FileSystem.writeAtomically(
        "\(path)/authority/database/certificate.pem", Array("damaged".utf8))
      #expect(try directory(path, day: 21).renew() == ["gateway", "database"])
      try FileSystem.writeAtomically(
        "\(path)/authority/issued", Array("gateway\ndatabase=db.example,10.0.0.1\n".utf8))
      #expect(try directory(path, day: 21).renew() == ["database"])
      #expect(try directory(path, day: 21).renew() == [])
    }
  }

  @Test("a line that is not allowed stops no other renewal, and the next issue replaces it")
  func damagedLine() async throws {
    try await withTemporaryDirectory { path in
      try directory(path).create()
      _ = try directory(path).issue(holders("gateway", "database=db.example", "data4help"))
      let file = "\(path)/authority/issued"
      try FileSystem.writeAtomically(
        file, Array("gateway\ndatabase=monitoring\ndata4help\n".utf8))
      let error = #expect(throws: StartError.self) { try directory(path, day: 25).renew() }
      let text = try #require(error?.description)
      #expect(text.contains("database=monitoring is neither"))
      #expect(text.contains("Renewed: gateway, data4help."))
      #expect(try directory(path, day: 25).issue(holders("track4run")).count == 1)
      #expect(throws: StartError.self) { try directory(path, day: 25).renew() }
      _ = try directory(path, day: 25).issue(holders("database=db.example"))
      #expect(try directory(path, day: 25).renew() == [])
      let lines = String(decoding: try bytes(path, "issued"), as: UTF8.self)
      #expect(lines == "gateway\ndata4help\ntrack4run\ndatabase=db.example\n")
    }
  }

  @Test("a step that failed at a holder reaches the others, and is completed by the next call")
  func failed() async throws {
    try await withTemporaryDirectory { path in
      try directory(path).create()
      _ = try directory(path).issue(holders("gateway", "data4help", "track4run"))
      let broken = "\(path)/authority/data4help"
      for (day, step) in [AuthorityDirectory.RotationStep.prepared, .replaced, .ended].enumerated()
      {
        try FileManager.default.removeItem(atPath: broken)
        try FileSystem.writeAtomically(broken, Array("in the way".utf8))
        #expect(throws: StartError.self) { try directory(path, day: Int64(day)).rotate() }
        #expect(
          try bytes(path, "track4run/authority.pem") == bytes(path, "authority.pem"))
        try FileManager.default.removeItem(atPath: broken)
        #expect(try directory(path, day: Int64(day)).rotate() == step)
        #expect(
          try bytes(path, "data4help/authority.pem") == bytes(path, "authority.pem"))
        #expect(try isSigned(path, "data4help", by: "signing.pem"))
      }
      #expect(!FileSystem.exists("\(path)/authority/next.pem"))
      #expect(!FileSystem.exists("\(path)/authority/former.pem"))
      try FileSystem.writeAtomically("\(path)/authority/rotation.step", Array("damaged".utf8))
      #expect(throws: StartError.self) { try directory(path, day: 4).rotate() }
      #expect(!FileSystem.exists("\(path)/authority/next.pem"))
      // An editor ends the line.
      try FileSystem.writeAtomically("\(path)/authority/rotation.step", Array("prepared\n".utf8))
      #expect(try directory(path, day: 4).rotate() == .prepared)
    }
  }

  @Test("an interrupted creation is completed by the next call")
  func interruptedCreation() async throws {
    try await withTemporaryDirectory { path in
      try directory(path).create()
      for written in [["signing.key", "signing.pem"], ["signing.pem"]] {
        for name in ["signing.key", "signing.pem", "authority.pem"] where !written.contains(name) {
          try FileManager.default.removeItem(atPath: "\(path)/authority/\(name)")
        }
        #expect(throws: StartError.self) { try directory(path).issue(holders("gateway")) }
        try directory(path).create()
        _ = try directory(path).issue(holders("gateway"))
        #expect(try isSigned(path, "gateway", by: "authority.pem"))
      }
    }
  }

  @Test("a key without its certificate is not replaced")
  func keyAlone() async throws {
    try await withTemporaryDirectory { path in
      try directory(path).create()
      let key = try bytes(path, "signing.key")
      for name in ["signing.pem", "authority.pem"] {
        try FileManager.default.removeItem(atPath: "\(path)/authority/\(name)")
      }
      #expect(throws: StartError.self) { try directory(path).create() }
      #expect(try bytes(path, "signing.key") == key)
    }
  }

  @Test("a list of holders with the line ends of another system is read")
  func lineEnds() async throws {
    try await withTemporaryDirectory { path in
      try directory(path).create()
      try FileSystem.writeAtomically(
        "\(path)/authority/issued", Array("gateway\r\ndata4help\r\n".utf8))
      #expect(try directory(path).renew() == ["gateway", "data4help"])
    }
  }

  @Test("a rotation replaces the authority in three steps, and certificates hold in each")
  func rotate() async throws {
    try await withTemporaryDirectory { path in
      try directory(path).create()
      _ = try directory(path).issue(holders("gateway", "data4help"))
      let former = try bytes(path, "signing.pem")
      let bundle = { try bytes(path, "gateway/authority.pem") }
      #expect(try directory(path, day: 1).rotate() == .prepared)
      #expect(try bundle() == former + bytes(path, "next.pem"))
      #expect(try isSigned(path, "gateway", by: "signing.pem"))
      #expect(try bytes(path, "signing.pem") == former)
      let next = try bytes(path, "next.pem")

      #expect(try directory(path, day: 2).rotate() == .replaced)
      #expect(try bundle() == next + former)
      for holder in ["gateway", "data4help"] {
        #expect(try isSigned(path, holder, by: "signing.pem"))
        #expect(try !isSigned(path, holder, by: "former.pem"))
      }
      #expect(!FileSystem.exists("\(path)/authority/next.key"))

      #expect(try directory(path, day: 3).rotate() == .ended)
      #expect(try bundle() == next && bytes(path, "signing.pem") == next)
      #expect(try directory(path, day: 3).renew() == [])
    }
  }

  @Test("a step that was interrupted between its files is completed by the next call")
  func interrupted() async throws {
    try await withTemporaryDirectory { path in
      try directory(path).create()
      _ = try directory(path).issue(holders("gateway"))
      let former = try bytes(path, "signing.pem")
      _ = try directory(path, day: 1).rotate()
      let file = "\(path)/authority"
      try FileSystem.writeAtomically("\(file)/former.pem", former)
      try FileSystem.writeAtomically("\(file)/signing.key", bytes(path, "next.key"))
      try FileSystem.writeAtomically("\(file)/signing.pem", bytes(path, "next.pem"))
      #expect(try directory(path, day: 2).rotate() == .replaced)
      #expect(try bytes(path, "former.pem") == former)
      #expect(try isSigned(path, "gateway", by: "signing.pem"))
    }
  }

  @Test("a renewal or an issue completes a replacement that left the key of another authority")
  func interruptedBeforeCertificate() async throws {
    for command in ["renew", "issue"] {
      try await withTemporaryDirectory { path in
        try directory(path).create()
        _ = try directory(path).issue(holders("gateway"))
        let former = try bytes(path, "signing.pem")
        #expect(try directory(path, day: 1).rotate() == .prepared)
        let (file, next) = ("\(path)/authority", try bytes(path, "next.pem"))
        try FileSystem.writeAtomically("\(file)/rotation.step", Array("replaced".utf8))
        try FileSystem.writeAtomically("\(file)/former.pem", former)
        try FileSystem.writeAtomically("\(file)/signing.key", bytes(path, "next.key"))
        if command == "renew" {
          #expect(try directory(path, day: 2).renew() == ["gateway"])
        } else {
          _ = try directory(path, day: 2).issue(holders("gateway"))
        }
        #expect(try bytes(path, "signing.pem") == next && bytes(path, "former.pem") == former)
        #expect(try isSigned(path, "gateway", by: "signing.pem"))
        #expect(try directory(path, day: 2).rotate() == .replaced)
        #expect(try bytes(path, "gateway/authority.pem") == next + former)
        #expect(try directory(path, day: 3).rotate() == .ended)
        #expect(try bytes(path, "authority.pem") == next)
      }
    }
  }

  @Test(
    "other texts are no holders",
    arguments: [
      "", "hospital", "gateway=a.example", "data4help=", "database", "database=", "a=gateway",
      "a=x,Data4Help", "a=monitoring", "monitoring=", "issued=a.example", "../a=b", "-a=b", "A=b",
      "a=b c",
      "a=b,DNS:c,", "é=b",
    ])
  func otherHolders(_ text: String) {
    #expect(throws: StartError.self) { try CertificateHolder(text) }
  }

  @Test("the command creates, issues and renews, and explains other arguments")
  func command() throws {
    let copy = try Copy()
    defer { copy.remove() }
    let missing = try copy.run("authority", "renew")
    #expect(missing.code == 1 && missing.output.contains("trackme authority create"))
    #expect(try copy.run("authority", "create").code == 0)
    let issued = try copy.run("authority", "issue", "gateway", "data4help")
    #expect(issued.code == 0, "\(issued.output)")
    #expect(issued.output.contains("/authority/gateway\n"))
    #expect(try copy.run("authority", "renew").output.contains("No certificate"))
    for step in 1...3 {
      #expect(try copy.run("authority", "rotate").output.contains("\(step) of 3"))
    }
    #expect(try copy.run("authority", "issue", "nurse").output.contains("nurse is neither"))
    for arguments in [["authority"], ["authority", "issue"], ["authority", "create", "x"]] {
      let outcome = try copy.run(arguments)
      #expect(outcome.code == 1 && outcome.output.contains("usage: trackme authority create"))
    }
  }
}
