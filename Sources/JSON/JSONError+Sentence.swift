extension JSONError.Reason {
  /// Whether the text is not acceptable JSON, as opposed to JSON that does not fit.
  package var isUnreadable: Bool {
    switch self {
    case .endsTooEarly, .textAfterDocument, .byteOrderMark, .unexpected, .duplicateName,
      .brokenUTF8, .loneSurrogate, .nulCharacter, .controlCharacter, .badEscape, .malformedNumber,
      .numberOutOfRange, .tooDeep, .documentTooLong, .stringTooLong, .numberTooLong:
      true
    case .mistyped, .missing, .empty, .tooShort, .tooLong, .tooFew, .tooMany, .outOfRange,
      .integerOutOfRange, .notAllowed, .malformed, .refused:
      false
    }
  }

  /// One sentence that names the necessary change.
  package var sentence: String {
    isUnreadable ? syntaxSentence : contentSentence
  }

  private var syntaxSentence: String {
    switch self {
    case .endsTooEarly: "Send the whole text: it ends inside a value."
    case .textAfterDocument: "Remove what follows the end of the JSON document."
    case .byteOrderMark: "Send the text without a byte order mark."
    case .unexpected(let expected): "Write \(expected) here."
    case .duplicateName: "Give each field of an object once only."
    case .brokenUTF8: "Encode the text as UTF-8: these bytes are not a character."
    case .loneSurrogate: "Write both halves of the surrogate pair."
    case .nulCharacter: "Remove the NUL character."
    case .controlCharacter: "Escape the control character, as \\n or \\u000A."
    case .badEscape: "Use one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX."
    case .malformedNumber: "Write the number as JSON does, such as 0, -12, 3.5 or 6e-7."
    case .numberOutOfRange: "Use a number that a 64-bit floating-point number can hold."
    case .tooDeep(let max): "Nest objects and arrays at most \(max) deep."
    case .documentTooLong(let max): "Send at most \(max) bytes."
    case .stringTooLong(let max): "Shorten the string to at most \(max) bytes."
    case .numberTooLong(let max): "Write the number with at most \(max) characters."
    default: "Send a JSON text that follows RFC 8259."
    }
  }

  private var contentSentence: String {
    switch self {
    case .mistyped(let expected): "Give \(expected) here."
    case .missing: "Add this mandatory field."
    case .empty: "Give this mandatory field a text: it is empty."
    case .tooShort(let min): "Give at least \(Self.count(min, "character"))."
    case .tooLong(let max): "Shorten this to at most \(Self.count(max, "character"))."
    case .tooFew(let min): "Give at least \(Self.count(min, "element"))."
    case .tooMany(let max): "Give at most \(Self.count(max, "element"))."
    case .outOfRange(let minimum, let maximum): Self.rangeSentence(minimum, maximum)
    case .integerOutOfRange: "Give a whole number of at most 64 bits."
    case .notAllowed(let allowed): Self.allowedSentence(allowed)
    case .malformed(let expected): "Give \(expected)."
    case .refused(let sentence): sentence
    default: "Give a value that fits this field."
    }
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  private static func rangeSentence(_ minimum: String?, _ maximum: String?) -> String {
    switch (minimum, maximum) {
    case (let minimum?, let maximum?): "Give a number from \(minimum) to \(maximum)."
    case (let minimum?, nil): "Give a number of at least \(minimum)."
    case (nil, let maximum?): "Give a number of at most \(maximum)."
    case (nil, nil): "Give another number."
    }
  }

  private static func allowedSentence(_ allowed: [String]) -> String {
    let shown = allowed.prefix(40).joined(separator: ", ")
    return allowed.count > 40 ? "Use one of \(shown), …." : "Use one of \(shown)."
  }
}
