import Cryptography
import EventLoop
import Operations
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Reading the root secret's file again")
struct RootSecretReloadTests {
  private func write(_ ring: RootKeyRing, in directory: String) throws(SystemError) {
    try FileSystem.writeAtomically(
      directory + "/root.secret",
      KeyFile.text(of: ring).withBytes { span in span.indices.map { span[$0] } })
  }

  @Test(
    "a running process accepts a further root secret, and refuses a file with another in front",
    .tags(.OPS_6))
  func reload() async throws {
    try await withTemporaryDirectory(reload(in:))
  }

  private func reload(in directory: String) async throws {
    let settings = try Settings.load(
      arguments: [],
      environment: [
        "TRACKME_STATE": directory, "TRACKME_ROOT_SECRET_FILE": directory + "/root.secret",
      ]
    ).settings
    let ring = RootKeyRing.random()
    try write(ring, in: directory)
    let root = try settings.rootSecret()
    let announced = try ring.announcing()
    let promoted = announced.promoting(announced.identifiers[1])
    let token = TokenAuthority(root: RootSecret(promoted)).issue(.session)
    let authority = TokenAuthority(root: root)
    func isGenuine() -> Bool {
      do throws(CryptographyError) {
        return try authority.verify(token.text.utf8.span).hash == token.hash
      } catch {
        return false
      }
    }
    let loop = try EventLoop.start(name: "root")
    defer { loop.stop() }
    try await Task(executorPreference: loop) {
      let reload = RootSecretReload(on: loop, settings: settings, root: root, log: .none)
      reload.turn()
      #expect(!isGenuine())
      try write(announced, in: directory)
      reload.turn()
      #expect(isGenuine())
      #expect(root.identifier == ring.identifiers[0])
      try write(promoted, in: directory)
      reload.turn()
      #expect(root.ring.identifiers == announced.identifiers)
      try FileSystem.writeAtomically(directory + "/root.secret", Array("damaged\n".utf8))
      reload.turn()
      #expect(isGenuine())
      try write(ring, in: directory)
      reload.turn()
      #expect(!isGenuine())
    }.value
  }
}
