import Cryptography
import Foundation
import Operations
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Files of keys that a rotation replaces", .tags(.OPS_6))
struct RotatedKeyFileTests {
  private func bytes(_ ring: MasterKeyRing) -> [UInt8] {
    KeyFile.text(of: ring).withBytes { span in span.indices.map { span[$0] } }
  }

  @Test("a symbolic link to the file stays, and the file that it names is replaced")
  func link() async throws {
    try await withTemporaryDirectory { directory in
      let (path, target) = (directory + "/master.key", directory + "/elsewhere")
      let former = MasterKeyRing.random()
      try FileSystem.writeAtomically(target, bytes(former))
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      let (file, new) = (MasterKeyFile(path: path), MasterKeyRing.random())
      try file.write(new)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
      #expect(try MasterKeyFile(path: target).read().identifiers == new.identifiers)
      try file.retire(former)
      #expect(try file.readRetired()?.identifiers == former.identifiers)
    }
  }

  @Test("what killed commands left is removed, and other files stay")
  func leftovers() async throws {
    try await withTemporaryDirectory { directory in
      let file = MasterKeyFile(path: directory + "/master.key")
      let ring = MasterKeyRing.random()
      try FileSystem.writeAtomically(file.path, bytes(ring))
      let others = [directory + "/master.key.new.copy", directory + "/root.secret.new.17"]
      for path in [file.path + ".new.17", file.retiredPath + ".new.1"] + others {
        try FileSystem.writeAtomically(path, bytes(ring))
      }
      try file.write(try ring.announcing())
      try file.retire(ring)
      let expected = ["master.key", "master.key.new.copy", "master.key.retired"]
      #expect(try FileSystem.names(in: directory) == expected + ["root.secret.new.17"])
    }
  }
}
