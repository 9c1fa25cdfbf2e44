import Cryptography
import Requirements
import Testing

@Suite("Keys that a former root secret leaves in the file", .tags(.OPS_6))
struct KeptKeysTests {
  private static let kinds: [BlindIndex.Kind] = [
    .email, .fiscalCode, .vatNumber, .companyName, .diseaseCode, .positionCell, .pairingCode,
    .invitedAddress, .emergencyContact, .companyNamePrefix, .fullName, .pushEndpoint,
  ]

  /// The files of an installation at the ends of its rotations, the first at the beginning.
  private func generations(
    _ count: Int
  ) throws -> [(alone: RootKeyRing, both: RootKeyRing)] {
    var all = [(alone: RootKeyRing.random(), both: RootKeyRing.random())]
    all[0].both = all[0].alone
    for _ in 1..<count {
      let announced = try all[all.count - 1].alone.announcing()
      let promoted = announced.promoting(announced.identifiers[1])
      all.append((promoted.removingFormer(), promoted))
    }
    return all
  }

  private func bytes(of secret: SecretBytes) -> [UInt8] {
    secret.withBytes { span in span.indices.map { span[$0] } }
  }

  @Test("noise, derived identifiers and indexes keep the first secret's key through every rotation")
  func lasting() throws {
    let all = try generations(4)
    for purpose in [KeyPurpose.groupNoise, .emergencies, .checkIns, .idempotency] {
      let first = bytes(of: RootSecret(all[0].alone).key(for: purpose))
      for (alone, both) in all {
        #expect(bytes(of: RootSecret(alone).lastingKey(for: purpose)) == first)
        #expect(bytes(of: RootSecret(both).lastingKey(for: purpose)) == first)
      }
      #expect(bytes(of: RootSecret(all[3].alone).key(for: purpose)) != first)
    }
    for kind in Self.kinds {
      let values = all.flatMap { generation in
        [generation.alone, generation.both].map {
          BlindIndex(kind, root: RootSecret($0)).value(of: "someone@example.org")
        }
      }
      #expect(Set(values).count == 1)
    }
  }

  @Test("the file with them reads back as it was written, and a damaged line is named")
  func file() throws {
    let all = try generations(3)
    let ring = all[2].both
    let file = bytes(of: KeyFile.text(of: ring))
    let read = try KeyFile.rootKeys(file.span)
    #expect(read.identifiers == ring.identifiers)
    #expect(read.keptIdentifiers == ring.keptIdentifiers)
    #expect(
      read.keptIdentifiers == [all[0].alone.identifiers[0], all[1].alone.identifiers[0]])
    let value = BlindIndex(.email, root: RootSecret(ring)).value(of: "a@example.org")
    #expect(BlindIndex(.email, root: RootSecret(read)).value(of: "a@example.org") == value)
    let last = file.count - 2
    var changed = file
    changed[last] = changed[last] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    #expect(throws: CryptographyError.keyFileMalformed(line: 6)) {
      try KeyFile.rootKeys(changed.span)
    }
    let line = try #require(file.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
    let repeated = file + file[line...]
    #expect(throws: CryptographyError.keyFileMalformed(line: 7)) {
      try KeyFile.rootKeys(repeated.span)
    }
  }

  @Test("a file takes the keys of as many former secrets as its size permits, and is then full")
  func full() throws {
    let all = try generations(RootKeyRing.keptMax + 1)
    let last = all[RootKeyRing.keptMax].both
    #expect(last.keptIdentifiers.count == RootKeyRing.keptMax)
    let file = bytes(of: KeyFile.text(of: last))
    #expect(file.count <= KeyFile.bytesMax)
    #expect(try KeyFile.rootKeys(file.span).keptIdentifiers == last.keptIdentifiers)
    #expect(throws: CryptographyError.keyFileCountWrong) {
      try all[RootKeyRing.keptMax].alone.announcing()
    }
  }

  @Test("entries under a former secret are accepted up to an anchor only")
  func record() throws {
    let all = try generations(3)
    let (former, new) = (AuditChain(root: RootSecret(all[0].alone)), RootSecret(all[2].alone))
    let chain = AuditChain(root: new)
    let first = former.link(after: former.start(subject: 7), entry: "first".utf8.span)
    func isLink(_ link: AuditLink, after: AuditLink?, _ entry: String, isAnchored: Bool) -> Bool {
      chain.isLink(link, after: after, subject: 7, entry: entry.utf8.span, isAnchored: isAnchored)
    }
    #expect(isLink(first, after: nil, "first", isAnchored: true))
    #expect(!isLink(first, after: nil, "first", isAnchored: false))
    #expect(!isLink(first, after: nil, "First", isAnchored: true))
    let forged = former.link(after: first, entry: "second".utf8.span)
    #expect(!isLink(forged, after: first, "second", isAnchored: false))
    let second = chain.link(after: first, entry: "second".utf8.span)
    #expect(isLink(second, after: first, "second", isAnchored: false))
    #expect(chain.isStart(former.start(subject: 7), subject: 7))
    #expect(!chain.isStart(former.start(subject: 8), subject: 7))

    let code = chain.anchorCode(subject: 7, count: 1, link: first)
    #expect(chain.isAnchor(code, subject: 7, count: 1, link: first))
    #expect(!chain.isAnchor(code, subject: 8, count: 1, link: first))
    #expect(!chain.isAnchor(code, subject: 7, count: 2, link: first))
    #expect(!chain.isAnchor(code, subject: 7, count: 1, link: second))
    let forgedCode = former.anchorCode(subject: 7, count: 1, link: first)
    #expect(!chain.isAnchor(forgedCode, subject: 7, count: 1, link: first))
  }
}
