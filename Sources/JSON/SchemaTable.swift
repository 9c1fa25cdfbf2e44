/// A schema laid out flat, so that checking it follows indices and counts no references.
struct SchemaTable: Sendable {
  /// One schema: plain numbers only.
  struct Node: Sendable {
    enum Shape: UInt8, Sendable {
      case any, string, integer, number, boolean, null, array, object, dictionary, anyOf
    }
    var shape: Shape
    /// Bit `JSONKind.rawValue` is set for each kind of value that can fit.
    var kinds: UInt8 = 0
    var format: JSONFormat?
    /// Least length of a string, count of an array or value of a whole number; `max` alike.
    var min = Int.min
    var max = Int.max
    var numberMin = -Double.infinity
    var numberMax = Double.infinity
    /// The element of an array or dictionary; of any value, any value.
    var child = 0
    /// The members in `properties`, `alternatives` or `allowed`.
    var members = 0..<0
    /// A bit for each mandatory property.
    var required: UInt64 = 0
  }

  struct Property: Sendable {
    /// Its name, in `names`.
    var name: Range<Int>
    var node: Int
    /// Its bit in `Node.required`; 0 if it may be left out.
    var bit: UInt64
  }

  private(set) var nodes: [Node] = []
  private(set) var properties: [Property] = []
  private(set) var names: [UInt8] = []
  private(set) var alternatives: [Int] = []
  private(set) var allowed: [[UInt8]] = []
  private(set) var root = 0

  init(_ schema: JSONSchema) {
    root = add(schema)
  }

  private mutating func add(_ schema: JSONSchema) -> Int {
    var node: Node
    switch schema.shape {
    case .any:
      node = Node(shape: .any, kinds: 0b11_1111)
      node.child = nodes.count
    case .string(let rule):
      node = string(rule)
    case .integer(let minimum, let maximum):
      node = Node(shape: .integer, kinds: bit(.number))
      node.min = minimum ?? .min
      node.max = maximum ?? .max
    case .number(let minimum, let maximum):
      node = Node(shape: .number, kinds: bit(.number))
      node.numberMin = minimum ?? -.infinity
      node.numberMax = maximum ?? .infinity
    case .boolean: node = Node(shape: .boolean, kinds: bit(.boolean))
    case .null: node = Node(shape: .null, kinds: bit(.null))
    case .array(let element, let countMin, let countMax):
      node = Node(shape: .array, kinds: bit(.array))
      node.min = countMin
      node.max = countMax ?? .max
      node.child = add(element)
    case .object(let fields): node = object(fields)
    case .dictionary(let value):
      node = Node(shape: .dictionary, kinds: bit(.object))
      node.child = add(value)
    case .anyOf(let choices):
      let indices = choices.map { add($0) }
      node = Node(shape: .anyOf)
      node.kinds = indices.reduce(0) { $0 | nodes[$1].kinds }
      node.members = alternatives.count..<alternatives.count + indices.count
      alternatives += indices
    }
    nodes.append(node)
    return nodes.count - 1
  }

  private mutating func string(_ rule: JSONSchema.StringRule) -> Node {
    var node = Node(shape: .string, kinds: bit(.string))
    node.min = rule.lengthMin ?? 0
    node.max = rule.lengthMax ?? .max
    node.format = rule.format
    node.members = allowed.count..<allowed.count + rule.allowed.count
    allowed += rule.allowed.map { Array($0.utf8) }
    return node
  }

  private mutating func object(_ fields: [JSONSchema.Property]) -> Node {
    var node = Node(shape: .object, kinds: bit(.object))
    var added: [Property] = []
    var bits: UInt64 = 1
    for field in fields {
      let child = add(field.schema)
      let start = names.count
      names += field.name.utf8
      // The schema is the programmer's: more than 64 mandatory fields are a mistake in it.
      precondition(!field.isRequired || bits != 0, "more than 64 mandatory fields in a schema")
      added.append(
        Property(name: start..<names.count, node: child, bit: field.isRequired ? bits : 0))
      if field.isRequired {
        node.required |= bits
        bits <<= 1
      }
    }
    node.members = properties.count..<properties.count + added.count
    properties += added
    return node
  }

  private func bit(_ kind: JSONKind) -> UInt8 { 1 << kind.rawValue }
}
