import Bytes
import Cryptography

/// The source expression of a Content Security Policy that allows an inline style or script: its
/// SHA-256 (Content Security Policy Level 3, 6.7.3).
package enum InlineSource {
  /// The source expression of the text between the tags.
  package static func text(of inline: String) -> String {
    var text: [UInt8] = []
    Base64.standard.append(SHA256.digest(of: Array(inline.utf8).span).bytes.span, to: &text)
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return "'sha256-" + String(decoding: text, as: UTF8.self) + "'"
  }
}
