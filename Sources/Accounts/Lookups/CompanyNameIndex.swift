import Cryptography
import Domain

/// The keyed hashes that find companies while a person types (decision 0004).
struct CompanyNameIndex: Sendable {
  /// The minimum number of letters in a search; a whole name may have fewer.
  static let lettersMin = 3
  /// The maximum number of letters that are compared by hash.
  static let lettersMax = 20

  private let index: BlindIndex

  init(root: RootSecret) { index = BlindIndex(.companyNamePrefix, root: root) }

  /// The hash that finds a search text; nil for an empty one.
  func value(of searchText: String) -> BlindValue? {
    searchText.isEmpty ? nil : index.value(of: String(searchText.prefix(Self.lettersMax)))
  }

  /// The hashes that find a name, each with the length in letters of the shortest text that begins
  /// with it.
  func values(of name: CompanyName) -> [BlindValue: Int] {
    var letters: [BlindValue: Int] = [:]
    for text in name.searchTexts {
      let count = text.count
      let last = min(count, Self.lettersMax)
      for length in min(Self.lettersMin, last)...last {
        letters[index.value(of: String(text.prefix(length))), default: .max].lower(to: count)
      }
    }
    return letters
  }
}

extension Int {
  fileprivate mutating func lower(to other: Int) { self = Swift.min(self, other) }
}
