import EventLoop
import HTTP
import Operations

/// The files by which a process knows the others and shows who it is, as `trackme authority issue`
/// writes them.
package struct InnerTLSFiles: Sendable, Equatable {
  /// The names of the files in the directory `TRACKME_INNER_TLS`.
  package static let authorityName = "authority.pem"
  /// The process's certificate, and its private key.
  package static let certificateName = "certificate.pem"
  package static let keyName = "key.pem"
  private static let bytesMax = 64 * 1024

  /// The trusted authorities, the own certificate and its private key, all PEM.
  package let authorities: [UInt8]
  package let certificate: [UInt8]
  package let key: [UInt8]

  /// Reads the files of a directory.
  ///
  /// - Throws: `StartError` if one cannot be read, or the key is readable by everybody.
  package static func read(from directory: String) throws(StartError) -> InnerTLSFiles {
    let keyPath = "\(directory)/\(keyName)"
    let files: InnerTLSFiles
    let permissions: UInt32
    do throws(SystemError) {
      files = InnerTLSFiles(
        authorities: try FileSystem.read("\(directory)/\(authorityName)", bytesMax: bytesMax),
        certificate: try FileSystem.read("\(directory)/\(certificateName)", bytesMax: bytesMax),
        key: try FileSystem.read(keyPath, bytesMax: bytesMax))
      permissions = try FileSystem.permissions(of: keyPath)
    } catch {
      throw StartError("The inner certificates in \(directory) cannot be read", error)
    }
    guard permissions & 0o007 == 0 else {
      throw StartError("\(keyPath) is readable by every user: chmod o= \(keyPath)")
    }
    return files
  }

  /// When a connection first fails for these files: at the end of the certificate, or of the last
  /// authority. In seconds since 1970.
  ///
  /// - Throws: `TLSError.certificateUnreadable`.
  package func end() throws(TLSError) -> Int64 {
    min(
      try CertificateFacts.validity(of: certificate).upperBound,
      try CertificateFacts.lastEnd(of: authorities))
  }

  var identity: TLSIdentity { TLSIdentity(certificateChain: certificate, privateKey: key) }
}

extension ProcessKind {
  /// The name of the process in its inner certificate.
  package var innerName: String { rawValue }

  /// The processes whose requests a service accepts.
  package var innerCallers: [ProcessKind] {
    switch self {
    case .data4help: [.gateway, .track4run]
    case .track4run: [.gateway, .data4help]
    case .gateway, .trackme: []
    }
  }
}
