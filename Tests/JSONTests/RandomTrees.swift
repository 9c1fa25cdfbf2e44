import Foundation
import FuzzTargets
import JSON
import Support

extension JSONTree {
  static func random(depth: Int, using random: inout SeededRandom) -> JSONTree {
    switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
    case 0: return .null
    case 1: return .boolean(Bool.random(using: &random))
    case 2: return .number(Double(Int.random(in: -1_000_000...1_000_000, using: &random)))
    case 3:
      let bits = Double(bitPattern: random.next())
      return .number(bits.isFinite ? bits : 0.1)
    case 4: return .string(text(using: &random))
    case 5:
      return .array(
        (0..<Int.random(in: 0..<6, using: &random)).map { _ in
          Self.random(depth: depth - 1, using: &random)
        })
    default:
      return .object(
        (0..<Int.random(in: 0..<24, using: &random)).map { index in
          Field(
            name: text(using: &random) + Array("\(index)".utf8),
            value: Self.random(depth: depth - 2, using: &random))
        })
    }
  }

  private static func text(using random: inout SeededRandom) -> [UInt8] {
    let scalars: [Unicode.Scalar] = [
      "a", "Z", "0", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{1F}", "\u{7F}", "è", "€", "😀",
      "\u{2028}", "{", "}",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0..<20, using: &random) {
      text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
    }
    return Array(text.utf8)
  }

  /// Whether Foundation read the same value.
  func isEqual(to other: Any) -> Bool {
    switch self {
    case .null: return other is NSNull
    case .boolean(let value): return other as? Bool == value
    case .number(let value):
      // Foundation may store a number as a decimal, whose conversion rounds a second time.
      guard let other = (other as? NSNumber)?.doubleValue else { return false }
      return abs(other - value) <= abs(value) * 1e-14
    case .string(let bytes): return (other as? String).map { Array($0.utf8) } == bytes
    case .array(let elements):
      guard let others = other as? [Any], others.count == elements.count else { return false }
      return zip(elements, others).allSatisfy { $0.isEqual(to: $1) }
    case .object(let fields):
      guard let others = other as? [String: Any], others.count == fields.count else { return false }
      return fields.allSatisfy { field in
        others[String(decoding: field.name, as: UTF8.self)].map { field.value.isEqual(to: $0) }
          ?? false
      }
    }
  }
}
