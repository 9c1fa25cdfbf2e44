import HTTP
import Web

/// Compares media types as bytes (RFC 9110, section 8.3.1).
enum MediaType {
  /// Whether the value names this type (given in lower case), with any parameters.
  static func names(_ value: Span<UInt8>, _ type: Span<UInt8>) -> Bool {
    guard value.count >= type.count, value.extracting(0..<type.count).equalsIgnoringCase(type)
    else { return false }
    var rest = type.count
    while rest < value.count, value[rest] == 0x20 || value[rest] == 0x09 { rest += 1 }
    return rest == value.count || value[rest] == UInt8(ascii: ";")
  }

  /// Whether the value declares a charset other than UTF-8.
  static func hasOtherCharset(_ value: Span<UInt8>) -> Bool {
    let text = String(copying: value).lowercased()
    guard let start = text.firstRange(of: "charset=") else { return false }
    let charset = text[start.upperBound...].prefix { $0 != ";" && $0 != " " }
    return charset.filter { $0 != "\"" } != "utf-8"
  }
}
