/// Why a JSON text was refused, where, and what to change.
///
/// Never carries a value of the text. `path` may carry field names that the client chose, so it is
/// for the answer to that client; `description` leaves it out and is fit for a log.
package struct JSONError: Error, Sendable, Equatable {
  /// What is wrong.
  package var reason: Reason
  /// Place in the text, in bytes from its beginning.
  package var offset: Int
  /// The field concerned, as `values[999]` or `diseases[0].code`; empty for the whole text.
  package var path: String

  /// Makes an error of its parts.
  package init(_ reason: Reason, offset: Int, path: String) {
    self.reason = reason
    self.offset = offset
    self.path = path
  }

  /// One sentence that tells a person what to change.
  package var sentence: String { reason.sentence }

  /// Whether the text is no acceptable JSON at all, as opposed to JSON that does not fit.
  package var isUnreadable: Bool { reason.isUnreadable }
}

extension JSONError {
  /// Each way in which a text can be refused.
  package enum Reason: Sendable, Equatable {
    // What cannot be read at all.
    /// The text stops inside a value.
    case endsTooEarly
    /// Something other than white space follows the document.
    case textAfterDocument
    /// The text begins with a byte order mark.
    case byteOrderMark
    /// A byte that cannot stand here; the text says what could.
    case unexpected(expected: String)
    /// A name occurs twice in one object, however it is escaped.
    case duplicateName
    /// A string is not UTF-8 (RFC 3629).
    case brokenUTF8
    /// A `\u` escape is half of a surrogate pair.
    case loneSurrogate
    /// U+0000, raw or escaped.
    case nulCharacter
    /// A raw control character in a string.
    case controlCharacter
    /// A backslash followed by something RFC 8259 section 7 does not list.
    case badEscape
    /// A number outside the grammar of RFC 8259 section 6, leading zeros included.
    case malformedNumber
    /// A number that no 64-bit floating-point number can hold.
    case numberOutOfRange
    /// Too many objects and arrays inside each other.
    case tooDeep(max: Int)
    /// The text is longer than the limit in bytes.
    case documentTooLong(bytesMax: Int)
    /// A string or name is longer than the reader's limit in bytes.
    case stringTooLong(bytesMax: Int)
    /// A number is written with more characters than the limit.
    case numberTooLong(bytesMax: Int)

    // What can be read and does not fit.
    /// Another kind of value was expected, named with its article, as "a string".
    case mistyped(expected: String)
    /// A mandatory field is not there.
    case missing
    /// A mandatory string is empty.
    case empty
    /// A string has fewer characters than asked for.
    case tooShort(charactersMin: Int)
    /// A string has more characters than allowed.
    case tooLong(charactersMax: Int)
    /// An array has fewer elements than asked for.
    case tooFew(min: Int)
    /// An array has more elements than allowed.
    case tooMany(max: Int)
    /// A number lies outside the allowed range, written as text; nil where that side is open.
    case outOfRange(minimum: String?, maximum: String?)
    /// A whole number that 64 bits cannot hold.
    case integerOutOfRange
    /// A string is none of the allowed ones.
    case notAllowed(allowed: [String])
    /// A string is not of its format, described as "a date such as 2024-02-29".
    case malformed(expected: String)
    /// Refused by who reads the payload, with a whole sentence for a person.
    case refused(sentence: String)
  }
}

extension JSONError: CustomStringConvertible {
  /// The sentence and the byte offset, without the field path.
  package var description: String { "\(sentence) (at byte \(offset))" }
}
