/// The public code of a run: eight characters that cannot be confused (RUN-4).
///
/// It is not a secret: there are no private runs.
package struct RunCode: Hashable, Sendable, CustomStringConvertible {
  /// The code in upper case.
  package let description: String

  /// Digits and capital letters without 0, 1, I and O.
  private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

  /// The number of characters.
  package static let length = 8

  /// Creates a code from the first eight random bytes: 32^8 equally likely codes.
  package init(random bytes: [UInt8]) {
    let characters = bytes.prefix(Self.length).map { Self.alphabet[Int($0 % 32)] }
    description = String(decoding: characters, as: UTF8.self)
  }

  /// The normal form of an entered code: upper case, without spaces and hyphens. Only a look-up
  /// shows whether such a run exists.
  package static func normalised(_ text: String) -> String {
    String(text.uppercased().filter { $0 != " " && $0 != "-" })
  }
}
