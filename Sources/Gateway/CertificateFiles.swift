import EventLoop
import HTTP
import Operations
import Time

/// The certificate of the HTTPS port: the operator's, or a self-signed one.
enum CertificateFiles {
  private static let bytesMax = 256 * 1024

  /// Creates a self-signed certificate where neither file exists.
  ///
  /// - Throws: `StartError` if a file cannot be created.
  static func makeIfMissing(
    certificate: String, key: String, environment: Environment
  ) throws(StartError) {
    if !FileSystem.exists(certificate), !FileSystem.exists(key) {
      try make(certificate: certificate, key: key, environment: environment)
    }
  }

  /// Reads two existing files.
  ///
  /// - Throws: `StartError` if a file cannot be read.
  static func read(certificate: String, key: String) throws(StartError) -> TLSIdentity {
    do throws(SystemError) {
      return TLSIdentity(
        certificateChain: try FileSystem.read(certificate, bytesMax: bytesMax),
        privateKey: try FileSystem.read(key, bytesMax: bytesMax))
    } catch {
      throw StartError("The certificate of the HTTPS port cannot be read", error)
    }
  }

  /// The TLS context of a certificate and its key.
  ///
  /// - Throws: `StartError` if they do not match.
  static func context(of identity: TLSIdentity) throws(StartError) -> TLSContext {
    do throws(TLSError) {
      return try TLSContext(server: identity)
    } catch {
      throw StartError("The certificate of the HTTPS port cannot be used: \(error)")
    }
  }

  private static func make(
    certificate: String, key: String, environment: Environment
  ) throws(StartError) {
    let made: SelfSignedCertificate
    do throws(TLSError) {
      made = try SelfSignedCertificate(now: environment.now().microsecondsSince1970 / 1_000_000)
    } catch {
      throw StartError("A certificate for the HTTPS port cannot be created: \(error)")
    }
    do throws(SystemError) {
      for path in [certificate, key] {
        guard let slash = path.lastIndex(of: "/") else { continue }
        try FileSystem.makeDirectories(String(path[..<slash]))
      }
      try FileSystem.writeAtomically(key, made.identity.privateKey)
      try FileSystem.writeAtomically(certificate, made.identity.certificateChain, mode: 0o644)
    } catch {
      throw StartError("The certificate of the HTTPS port cannot be stored", error)
    }
  }
}
