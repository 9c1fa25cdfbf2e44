import Cryptography
import Data4HelpFixture
import Domain
import PostgresFixture
import Requirements
import ServiceKit
import Sharing
import Testing

@Suite("The record of accesses after a new root secret", .tags(.OPS_6, .NFR_6))
struct AuditAnchoringTests {
  /// The secrets of an installation before, during and after a rotation.
  private struct Secrets {
    let former: RootKeyRing
    let both: RootKeyRing
    let new: RootKeyRing

    init(_ stage: SingleRequestStage) throws {
      former = stage.installation.root.ring
      let announced = try former.announcing()
      both = announced.promoting(announced.identifiers[1])
      new = both.removingFormer()
    }
  }

  private func with(
    _ body: @escaping @Sendable (SingleRequestStage, Secrets, String) async throws -> Void
  ) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      try await body(stage, try Secrets(stage), requestID)
    }
  }

  private func deliver(
    _ times: Int, _ requestID: String, on stage: SingleRequestStage
  ) async throws {
    for _ in 0..<times { #expect(try await stage.data(requestID).status == 200) }
  }

  private func audit(_ stage: SingleRequestStage) async throws -> AccessAudit.Outcome {
    try await AccessAudit(
      database: stage.parts.database, keysDatabase: stage.parts.keysDatabase,
      root: stage.installation.root
    ).run()
  }

  private func anchor(_ stage: SingleRequestStage) async throws -> RootSecretRenewal {
    try await AuditAnchoring(
      database: stage.parts.database, keysDatabase: stage.parts.keysDatabase,
      root: stage.installation.root
    ).renew()
  }

  /// Replaces the secret as the command does, with deliveries on the way.
  private func rotate(
    _ stage: SingleRequestStage, _ secrets: Secrets, _ requestID: String
  ) async throws {
    let root = stage.installation.root
    try await deliver(2, requestID, on: stage)
    root.use(secrets.both)
    try await deliver(1, requestID, on: stage)
    #expect(try await anchor(stage).changed == 1)
    root.use(secrets.new)
  }

  @Test("a record continues under the new secret, is checkpointed, and has no fault")
  func continued() async throws {
    try await with { stage, secrets, requestID in
      try await rotate(stage, secrets, requestID)
      #expect(try await audit(stage) == AccessAudit.Outcome(records: 1, entries: 3))
      // The anchor is a checkpoint too.
      #expect(try await stage.workers.checkpoint() == 1)
      try await deliver(2, requestID, on: stage)
      #expect(try await stage.workers.checkpoint() == 1)
      #expect(try await audit(stage) == AccessAudit.Outcome(records: 1, entries: 5))
      // Another rotation, and the repetition of its anchoring.
      try await rotate(stage, try Secrets(stage), requestID)
      #expect(try await audit(stage) == AccessAudit.Outcome(records: 1, entries: 8))
      #expect(try await anchor(stage).changed == 1)
      #expect(try await audit(stage) == AccessAudit.Outcome(records: 1, entries: 8))
    }
  }

  @Test("an entry that the former secret's holder writes after the rotation is found")
  func forged() async throws {
    try await with { stage, secrets, requestID in
      try await rotate(stage, secrets, requestID)
      stage.installation.root.use(secrets.former)
      try await deliver(1, requestID, on: stage)
      stage.installation.root.use(secrets.new)
      #expect(try await audit(stage).findings.map(\.fault) == [.changed(number: 4)])
      #expect(try await stage.workers.checkpoint() == 0)
    }
  }

  @Test("entries from before, written again with the former secret, are found")
  func rewritten() async throws {
    try await with { stage, secrets, requestID in
      try await rotate(stage, secrets, requestID)
      try stage.run("TRUNCATE data4help.accesses, data4help.access_heads")
      stage.installation.root.use(secrets.former)
      stage.clock.advance(seconds: 60)
      try await deliver(3, requestID, on: stage)
      stage.installation.root.use(secrets.new)
      #expect(try await audit(stage).findings.map(\.fault) == [.rewritten(number: 3)])
    }
  }

  @Test("a changed entry from before, and a changed anchor, are found")
  func changed() async throws {
    try await with { stage, secrets, requestID in
      try await rotate(stage, secrets, requestID)
      try stage.run("UPDATE data4help.accesses SET n = n + 1 WHERE number = 2")
      #expect(try await audit(stage).findings.map(\.fault) == [.changed(number: 2)])
      try stage.run("UPDATE data4help.accesses SET n = n - 1 WHERE number = 2")
      #expect(try await audit(stage).findings.isEmpty)
      try stage.installation.keys.run(
        "UPDATE account_keys SET anchor_count = 2 WHERE anchor_count = 3")
      #expect(try await audit(stage).findings.map(\.fault) == [.anchorChanged])
    }
  }

  @Test("a record with a fault is not anchored")
  func faulty() async throws {
    try await with { stage, secrets, requestID in
      try await deliver(2, requestID, on: stage)
      try stage.run("UPDATE data4help.accesses SET n = n + 1 WHERE number = 1")
      stage.installation.root.use(secrets.both)
      let renewal = try await anchor(stage)
      #expect((renewal.changed, renewal.unreadable) == (0, 1))
      stage.installation.root.use(secrets.new)
      #expect(try await audit(stage).findings.map(\.fault) == [.changed(number: 1)])
    }
  }

  @Test("a keys' database from before two rotations is anchored again under all secrets since")
  func restored() async throws {
    try await with { stage, secrets, requestID in
      let root = stage.installation.root
      try await rotate(stage, secrets, requestID)
      let second = try Secrets(stage)
      try await rotate(stage, second, requestID)
      try await deliver(1, requestID, on: stage)
      try stage.installation.keys.run(
        """
        UPDATE account_keys
           SET access_count = 0, access_head = NULL, anchor_count = NULL, anchor_head = NULL,
               anchor_code = NULL
        """)
      // Without the secret between, the entries under it are taken for changed ones.
      root.use(try second.new.appending(secrets.former))
      #expect(try await anchor(stage).unreadable == 1)
      root.use(try second.new.appending(secrets.new).appending(secrets.former))
      #expect(try await anchor(stage).changed == 1)
      root.use(second.new)
      #expect(try await audit(stage) == AccessAudit.Outcome(records: 1, entries: 7))
    }
  }
}
