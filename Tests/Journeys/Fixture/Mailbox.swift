import Foundation

/// The folder into which the mail server of the tests puts what it receives.
struct Mailbox: Sendable {
  let path: String

  /// The mails to an address, decoded enough to be searched, in no order: the names of mails that
  /// came within one second tell none.
  func mails(to address: String) throws -> [String] {
    let folder = path + "/new"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return try names.compactMap { name in
      let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      let text = String(decoding: bytes, as: UTF8.self)
      return text.lowercased().contains("x-rcptto: \(address.lowercased())")
        ? Self.decoded(text) : nil
    }
  }

  /// Waits for the mail to the address that holds the link of a registration.
  func activationMail(to address: String) async throws -> String {
    try await mail(to: address, with: Self.activationLink)
  }

  /// Waits for the mail to the address that holds this text, which only that one may hold.
  func mail(to address: String, with text: String) async throws -> String {
    try await eventually("a mail with \(text)") {
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

  /// Without the soft line breaks and escapes of quoted-printable (RFC 2045, section 6.7).
  private static func decoded(_ text: String) -> String {
    let unix = text.replacing("\r\n", with: "\n")
    guard unix.lowercased().contains("quoted-printable") else { return unix }
    return unix.replacing("=\n", with: "").replacing("=3D", with: "=")
  }
}
