import EventLoop
import HTTP
import Operations
import Time

/// The certificate of the HTTPS port: the operator's, or a self-signed one.
enum CertificateFiles {
  private static let bytesMax = 256 * 1024

  /// Reads the TLS context from the two files. Where neither exists, creates a self-signed
  /// certificate.
  ///
  /// - Throws: `StartError` if a file cannot be read or created, only one of them exists, or they
  ///   do not match.
  static func context(
    certificate: String, key: String, environment: Environment
  ) throws(StartError) -> TLSContext {
    if !FileSystem.exists(certificate), !FileSystem.exists(key) {
      try make(certificate: certificate, key: key, environment: environment)
    }
    return try read(certificate: certificate, key: key)
  }

  /// Reads the TLS context from two existing files.
  ///
  /// - Throws: `StartError` if a file cannot be read, or they do not match.
  static func read(certificate: String, key: String) throws(StartError) -> TLSContext {
    let identity: TLSIdentity
    do throws(SystemError) {
      identity = TLSIdentity(
        certificateChain: try FileSystem.read(certificate, bytesMax: bytesMax),
        privateKey: try FileSystem.read(key, bytesMax: bytesMax))
    } catch {
      throw StartError("The certificate of the HTTPS port cannot be read", error)
    }
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
