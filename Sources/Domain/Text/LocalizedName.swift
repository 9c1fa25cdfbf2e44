/// A name in the languages of the product (NFR-8).
package struct LocalizedName: Hashable, Sendable {
  /// In Italian.
  package let italian: String
  /// In English.
  package let english: String

  /// Creates a name in both languages.
  package init(_ italian: String, _ english: String) {
    self.italian = italian
    self.english = english
  }
}
