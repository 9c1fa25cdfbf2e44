/// The word by which people find a run: eight characters that cannot be taken for one another
/// (RUN-4).
///
/// It is public and no secret: a private run does not exist.
package struct RunCode: Hashable, Sendable, CustomStringConvertible {
  /// The code in capitals.
  package let description: String

  /// Digits and capitals without 0, 1, I and O.
  private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

  /// How many characters a code has.
  package static let length = 8

  /// The code that random bytes make, of which the first eight count: 32^8 codes, each as likely.
  package init(random bytes: [UInt8]) {
    let characters = bytes.prefix(Self.length).map { Self.alphabet[Int($0 % 32)] }
    description = String(decoding: characters, as: UTF8.self)
  }

  /// What somebody typed, as codes are written: in capitals, without spaces and hyphens. Whether
  /// there is such a run, only a look can tell.
  package static func normalised(_ text: String) -> String {
    String(text.uppercased().filter { $0 != " " && $0 != "-" })
  }
}
