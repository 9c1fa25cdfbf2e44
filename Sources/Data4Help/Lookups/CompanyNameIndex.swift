import Domain
import Privacy

/// The keyed hashes by which companies are found while somebody types (decision 0004).
struct CompanyNameIndex: Sendable {
  /// Letters that a search needs at least; a whole name may have fewer.
  static let lettersMin = 3
  /// Letters that are compared by hash at most.
  static let lettersMax = 20

  private let index: BlindIndex

  init(root: RootSecret) { index = BlindIndex(.companyNamePrefix, root: root) }

  /// The hash by which a search text is looked up; nil for none.
  func value(of searchText: String) -> BlindValue? {
    searchText.isEmpty ? nil : index.value(of: String(searchText.prefix(Self.lettersMax)))
  }

  /// The hashes by which a name is found, each with the letters of the shortest text it begins.
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
