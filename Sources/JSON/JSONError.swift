/// A refusal of a JSON text: reason, position, and the change needed.
///
/// Never contains a value of the text. `path` may contain field names chosen by the client, so it
/// belongs only in the response to that client; `description` omits it and may be logged.
package struct JSONError: Error, Sendable, Equatable {
  /// The reason.
  package var reason: Reason
  /// Position in the text, in bytes from its start.
  package var offset: Int
  /// The field concerned, such as `values[999]` or `diseases[0].code`; empty for the whole text.
  package var path: String

  /// Creates an error from its parts.
  package init(_ reason: Reason, offset: Int, path: String) {
    self.reason = reason
    self.offset = offset
    self.path = path
  }

  /// A refusal of an object whose position its document adds.
  package static func refused(_ sentence: String, field: String = "") -> JSONError {
    JSONError(.refused(sentence: sentence), offset: 0, path: field)
  }

  /// One sentence that names the necessary change.
  package var sentence: String { reason.sentence }

  /// Whether the text is not acceptable JSON, as opposed to JSON that does not fit.
  package var isUnreadable: Bool { reason.isUnreadable }
}

extension JSONError {
  /// The reasons for refusing a text.
  package enum Reason: Sendable, Equatable {
    // Texts that cannot be parsed.
    /// The text ends inside a value.
    case endsTooEarly
    /// Something other than white space follows the document.
    case textAfterDocument
    /// The text begins with a byte order mark.
    case byteOrderMark
    /// An invalid byte at this position; `expected` describes the valid ones.
    case unexpected(expected: String)
    /// A name occurs twice in one object, compared after decoding escapes.
    case duplicateName
    /// A string is not UTF-8 (RFC 3629).
    case brokenUTF8
    /// A `\u` escape is half of a surrogate pair.
    case loneSurrogate
    /// U+0000, raw or escaped.
    case nulCharacter
    /// A raw control character in a string.
    case controlCharacter
    /// A backslash sequence that is not in RFC 8259, section 7.
    case badEscape
    /// A number that violates the grammar of RFC 8259, section 6, for example by leading zeros.
    case malformedNumber
    /// A number beyond the range of 64-bit floating point.
    case numberOutOfRange
    /// Objects and arrays are nested too deeply.
    case tooDeep(max: Int)
    /// The text is longer than the limit in bytes.
    case documentTooLong(bytesMax: Int)
    /// A string or name is longer than the reader's limit in bytes.
    case stringTooLong(bytesMax: Int)
    /// A number has more characters than the limit.
    case numberTooLong(bytesMax: Int)

    // Valid texts that do not fit.
    /// Another kind of value was expected, named with its article, such as "a string".
    case mistyped(expected: String)
    /// A mandatory field is missing.
    case missing
    /// A mandatory string is empty.
    case empty
    /// A string has fewer characters than required.
    case tooShort(charactersMin: Int)
    /// A string has more characters than allowed.
    case tooLong(charactersMax: Int)
    /// An array has fewer elements than required.
    case tooFew(min: Int)
    /// An array has more elements than allowed.
    case tooMany(max: Int)
    /// A number is outside the range with these bounds, written as text; a nil bound is open.
    case outOfRange(minimum: String?, maximum: String?)
    /// A whole number does not fit into 64 bits.
    case integerOutOfRange
    /// A string is not among the allowed ones.
    case notAllowed(allowed: [String])
    /// A string does not match its format, described for example as "a date such as 2024-02-29".
    case malformed(expected: String)
    /// Refused by the payload's own reader, with a full sentence for people.
    case refused(sentence: String)
  }
}

extension JSONError: CustomStringConvertible {
  /// The sentence and the byte offset, without the field path.
  package var description: String { "\(sentence) (at byte \(offset))" }
}
