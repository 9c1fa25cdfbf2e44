import Foundation
import Support
import Synchronization

/// The folder with the mails received by the tests' mail server.
struct Mailbox: Sendable {
  let path: String
  private let recipients = Recipients()

  init(path: String) { self.path = path }

  /// The mails to an address, decoded far enough to be searched, unordered: the names of mails from
  /// one second do not show their order.
  func mails(to address: String) throws -> [String] {
    let folder = path + "/new"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let wanted = "x-rcptto: \(address.lowercased())"
    return try names.compactMap { name in
      let path = "\(folder)/\(name)"
      guard try recipients.line(of: path).contains(wanted) else { return nil }
      return Self.decoded(try Self.text(of: path))
    }
  }

  fileprivate static func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  /// Waits for the mail with the activation link to this address.
  func activationMail(to address: String) async throws -> String {
    try await mail(to: address, with: Self.activationLink)
  }

  /// Waits for the mail with this text to this address; only one mail may contain it.
  func mail(to address: String, with text: String) async throws -> String {
    // A mail that the server refused twice is sent again after a minute.
    try await eventually("a mail with \(text)", within: .seconds(150)) {
      try mails(to: address).first { $0.contains(text) }
    }
  }

  /// The token of the activation link in a mail.
  static func activationToken(in mail: String) throws -> String {
    guard let start = mail.firstRange(of: activationLink) else {
      throw FixtureProblem("The mail has no activation link.")
    }
    return String(
      mail[start.upperBound...].prefix { $0.isLetter || $0.isNumber || "-_.".contains($0) })
  }

  private static let activationLink = "/auth/activ?activToken="

  /// Decodes soft line breaks and escapes of quoted-printable (RFC 2045, section 6.7).
  private static func decoded(_ text: String) -> String {
    let unix = text.replacing("\r\n", with: "\n")
    guard unix.lowercased().contains("quoted-printable") else { return unix }
    var decoded: [UInt8] = []
    var rest = Array(unix.replacing("=\n", with: "").utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "="), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        decoded.append(value)
        rest.removeFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}

/// Caches the recipients of the mails: each mail is read once for that, not on every poll.
private final class Recipients: Sendable {
  private let lines = Mutex<[String: String]>([:])

  /// The line of a mail with its recipients, in lower case; empty if missing.
  func line(of path: String) throws -> String {
    if let known = lines.withLock({ $0[path] }) { return known }
    let text = try Mailbox.text(of: path).lowercased()
    let line = text.firstRange(of: "x-rcptto: ").map { found in
      String(text[found.lowerBound...].prefix { !$0.isNewline })
    }
    lines.withLock { $0[path] = line ?? "" }
    return line ?? ""
  }
}
