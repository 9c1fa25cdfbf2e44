import EventLoop
import HTTP
import Installation
import Operations
import ServiceKit

/// The private authority of an installation, in a directory (decision 0051): its key, the bundle of
/// certificates that processes trust, and for each holder a directory with what it needs.
///
/// | file | content |
/// |---|---|
/// | `signing.key`, `signing.pem` | the key that signs, and its certificate |
/// | `next.key`, `next.pem` | the authority that a rotation has prepared |
/// | `former.pem` | the authority that a rotation has replaced |
/// | `authority.pem` | the bundle: the signing authority, and the next or the former one |
/// | `issued` | the holders, a line each |
/// | `rotation.step` | the step of a rotation that has begun and is not complete |
/// | `HOLDER/` | `authority.pem`, `certificate.pem` and `key.pem` of the holder |
package struct AuthorityDirectory {
  /// The validity of a certificate: short enough that a stolen one loses its use by itself.
  package static let certificateSeconds: Int64 = 30 * 86_400
  /// The remaining validity below which a certificate is renewed.
  package static let renewalSeconds: Int64 = certificateSeconds / 3
  /// The validity of an authority.
  static let authorityDays: Int64 = 3650
  private static let bytesMax = 64 * 1024

  /// The path of the directory.
  package let path: String
  /// Seconds since 1970.
  private let now: Int64

  /// The authority in a directory at a time in seconds since 1970; creates nothing.
  package init(path: String, now: Int64) {
    self.path = path
    self.now = now
  }

  private func file(_ name: String) -> String { "\(path)/\(name)" }

  // MARK: Commands

  /// Creates an authority, also after an interrupted call.
  ///
  /// - Throws: `StartError` if there is one, or a file can't be written.
  package func create() throws(StartError) {
    // The bundle is written last: without it a former call was interrupted.
    guard !FileSystem.exists(file("authority.pem")) else {
      throw StartError("\(path) has an authority: `trackme authority rotate` replaces it.")
    }
    if !FileSystem.exists(file("signing.key")) { try makeAuthority("signing") }
    guard FileSystem.exists(file("signing.pem")) else {
      throw StartError(
        "\(path) has signing.key without signing.pem: restore both, or remove the key for another."
      )
    }
    try writeBundle()
  }

  /// Issues certificates to holders, and returns the directories of their files. A holder that has
  /// one gets another, also if its line of before is no longer allowed.
  ///
  /// - Throws: `StartError` without an authority, or if a file can't be written.
  package func issue(_ holders: [CertificateHolder]) throws(StartError) -> [String] {
    try completeReplacement()
    let authority = try signing()
    let names = Set(holders.map(\.name))
    let others = try issuedLines().filter { !names.contains(CertificateHolder.name(in: $0)) }
    let lines = others + holders.map(\.line)
    try write("issued", Array(lines.map { "\($0)\n" }.joined().utf8), mode: 0o600)
    for holder in holders { try issue(to: holder, by: authority) }
    return holders.map { file($0.name) }
  }

  /// Renews each certificate that has less than a third of its life left, is missing, lacks a name,
  /// or is signed by a former authority, and passes the bundle on. Returns the names of the renewed
  /// holders.
  ///
  /// - Throws: `StartError` without an authority, or after all other holders if a file of one can't
  ///   be written or its line can't be read.
  package func renew() throws(StartError) -> [String] {
    try completeReplacement()
    let authority = try signing()
    try writeBundle()
    var renewed: [String] = []
    var failures: [String] = []
    for line in try issuedLines() {
      do throws(StartError) {
        let holder = try CertificateHolder(line)
        if try needsCertificate(holder, of: authority) {
          try issue(to: holder, by: authority)
          renewed.append(holder.name)
        } else {
          try passBundle(to: holder)
        }
      } catch {
        failures.append(error.description)
      }
    }
    guard failures.isEmpty else {
      throw StartError(
        failures.joined(separator: " ")
          + (renewed.isEmpty ? "" : " Renewed: \(renewed.joined(separator: ", ")).")
      )
    }
    return renewed
  }

  /// The next step of a rotation of the authority, or the one that was interrupted. After each, all
  /// holders must have their new files, and processes have to read them, before the next step.
  ///
  /// - Throws: `StartError` without an authority, or if a file can't be written.
  package func rotate() throws(StartError) -> RotationStep {
    _ = try signing()
    let step = try begunStep() ?? nextStep
    try write(Self.stepName, Array(step.rawValue.utf8), mode: 0o600)
    switch step {
    case .prepared:
      if !FileSystem.exists(file("next.key")) { try makeAuthority("next") }
    case .replaced: try replaceSigning()
    case .ended:
      if FileSystem.exists(file("former.pem")) { try remove("former.pem") }
    }
    _ = try renew()
    try remove(Self.stepName)
    return step
  }

  private static let stepName = "rotation.step"

  private func begunStep() throws(StartError) -> RotationStep? {
    guard FileSystem.exists(file(Self.stepName)) else { return nil }
    let words = String(decoding: try read(Self.stepName), as: UTF8.self).split(
      whereSeparator: \.isWhitespace)
    guard words.count == 1, let step = RotationStep(rawValue: String(words[0])) else {
      throw StartError(
        "\(file(Self.stepName)) names no step: write prepared, replaced or ended into it, the step "
          + "that was interrupted.")
    }
    return step
  }

  private var nextStep: RotationStep {
    if FileSystem.exists(file("next.pem")) { return .replaced }
    return FileSystem.exists(file("former.pem")) ? .ended : .prepared
  }

  private func replaceSigning() throws(StartError) {
    guard FileSystem.exists(file("next.pem")) else { return }
    let (former, next) = (try read("signing.pem"), try read("next.pem"))
    // An interrupted step may have replaced the certificate already.
    if former != next { try write("former.pem", former, mode: 0o644) }
    if FileSystem.exists(file("next.key")) {
      try write("signing.key", try read("next.key"), mode: 0o600)
      try write("signing.pem", next, mode: 0o644)
      try remove("next.key")
    }
    try remove("next.pem")
  }

  /// A replacement that was interrupted after the key left the certificate of the former authority
  /// beside it: what this pair signs is refused by everybody.
  private func completeReplacement() throws(StartError) {
    guard FileSystem.exists(file("next.key")), try read("next.key") == read("signing.key") else {
      return
    }
    try replaceSigning()
  }

  /// A step of a rotation.
  package enum RotationStep: String, Sendable {
    /// Everybody trusts the next authority too.
    case prepared
    /// The next authority signs, and certificates are replaced.
    case replaced
    /// The former authority is no longer trusted.
    case ended
  }

  // MARK: Authorities

  private func makeAuthority(_ name: String) throws(StartError) {
    let authority: CertificateAuthority
    do throws(TLSError) {
      // The time distinguishes authorities: verifiers look for an issuer by its name first.
      authority = try CertificateAuthority(
        named: "TrackMe authority \(now)", now: now, days: Self.authorityDays)
    } catch {
      throw StartError("The authority can't be created: \(error)")
    }
    do throws(SystemError) { try FileSystem.makeDirectories(path) } catch {
      throw StartError("The directory \(path) can't be created", error)
    }
    // The key last: with it, the pair is complete.
    try write("\(name).pem", authority.identity.certificateChain, mode: 0o644)
    try write("\(name).key", authority.identity.privateKey, mode: 0o600)
  }

  private func signing() throws(StartError) -> CertificateAuthority {
    let key = file("signing.key")
    guard FileSystem.exists(key), FileSystem.exists(file("authority.pem")) else {
      throw StartError("\(path) has no authority: `trackme authority create` makes it.")
    }
    let isPrivate: Bool
    do throws(SystemError) { isPrivate = try SecretFile(path: key).isPrivate() } catch {
      throw StartError("\(key) can't be read", error)
    }
    guard isPrivate else { throw StartError("\(key) is readable by others: chmod 600 \(key)") }
    return CertificateAuthority(
      TLSIdentity(
        certificateChain: try read("signing.pem"), privateKey: try read("signing.key")))
  }

  private func writeBundle() throws(StartError) {
    var bundle: [UInt8] = []
    for name in ["signing.pem", "next.pem", "former.pem"] where FileSystem.exists(file(name)) {
      bundle += try read(name)
    }
    try write("authority.pem", bundle, mode: 0o644)
  }

  // MARK: Holders

  private func issuedLines() throws(StartError) -> [String] {
    guard FileSystem.exists(file("issued")) else { return [] }
    return String(decoding: try read("issued"), as: UTF8.self).split(whereSeparator: \.isNewline)
      .map(String.init)
  }

  private func needsCertificate(
    _ holder: CertificateHolder, of authority: CertificateAuthority
  ) throws(StartError) -> Bool {
    let name = "\(holder.name)/\(InnerTLSFiles.certificateName)"
    guard FileSystem.exists(file(name)),
      FileSystem.exists(file("\(holder.name)/\(InnerTLSFiles.keyName)"))
    else { return true }
    let chain = try read(name)
    do throws(TLSError) {
      for name in [holder.name] + holder.order.alternatives {
        try CertificateFacts.verify(chain, by: authority.identity.certificateChain, for: name)
      }
      return try CertificateFacts.validity(of: chain).upperBound - now < Self.renewalSeconds
    } catch {
      // It is unreadable, of a former authority, or lacks a name.
      return true
    }
  }

  private func issue(
    to holder: CertificateHolder, by authority: CertificateAuthority
  ) throws(StartError) {
    let identity: TLSIdentity
    do throws(TLSError) {
      identity = try authority.issue(
        holder.order, now: now, seconds: Self.certificateSeconds)
    } catch {
      throw StartError("The certificate of \(holder.name) can't be issued: \(error)")
    }
    do throws(SystemError) { try FileSystem.makeDirectories(file(holder.name)) } catch {
      throw StartError("The directory \(file(holder.name)) can't be created", error)
    }
    try passBundle(to: holder)
    try write("\(holder.name)/\(InnerTLSFiles.keyName)", identity.privateKey, mode: 0o600)
    try write(
      "\(holder.name)/\(InnerTLSFiles.certificateName)", identity.certificateChain, mode: 0o644)
  }

  private func passBundle(to holder: CertificateHolder) throws(StartError) {
    let bundle = try read("authority.pem")
    let name = "\(holder.name)/\(InnerTLSFiles.authorityName)"
    if FileSystem.exists(file(name)), try read(name) == bundle { return }
    try write(name, bundle, mode: 0o644)
  }

  // MARK: Files

  private func read(_ name: String) throws(StartError) -> [UInt8] {
    do throws(SystemError) {
      return try FileSystem.read(file(name), bytesMax: Self.bytesMax)
    } catch {
      throw StartError("\(file(name)) can't be read", error)
    }
  }

  /// Writes a file for the owner of its directory: root may issue to the users of processes.
  private func write(_ name: String, _ bytes: [UInt8], mode: UInt32) throws(StartError) {
    let target = file(name)
    do throws(SystemError) {
      let directory = String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)])
      let owner = RunDirectory.isRoot ? try FileSystem.owner(of: directory) : nil
      try FileSystem.writeAtomically(target, bytes, mode: mode, owner: owner)
    } catch {
      throw StartError("\(target) can't be written", error)
    }
  }

  private func remove(_ name: String) throws(StartError) {
    do throws(SystemError) { try FileSystem.remove(file(name)) } catch {
      throw StartError("\(file(name)) can't be removed", error)
    }
  }
}
