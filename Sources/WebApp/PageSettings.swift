/// What the operator has set for the pages.
package struct PageSettings: Sendable {
  /// The mail address of the operator; empty for the usual one.
  package let contact: String
  /// The note on the rights in map tiles; empty if maps have no tiles.
  package let tilesAttribution: String

  /// The settings of pages, by default without any.
  package init(contact: String = "", tilesAttribution: String = "") {
    self.contact = contact
    self.tilesAttribution = tilesAttribution
  }

  /// A text for an attribute of HTML in double quotes.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
      .replacing("<", with: "&lt;")
  }
}
