/// A flattened schema, so that checking follows indices without reference counting.
struct SchemaTable: Sendable {
  /// One schema: plain numbers only.
  struct Node: Sendable {
    enum Shape: UInt8, Sendable {
      case any, string, integer, number, boolean, null, array, object, dictionary, anyOf
    }
    var shape: Shape
    /// A set of the kinds of values that can fit: bit `JSONKind.rawValue` for each.
    var kinds: UInt8 = 0
    var format: JSONFormat?
    /// Minimum length of a string, count of an array or value of a whole number; `max` likewise.
    var min = Int.min
    var max = Int.max
    var numberMin = -Double.infinity
    var numberMax = Double.infinity
    /// The node of the elements of an array or dictionary; for any value, the node itself.
    var child = 0
    /// The range of members in `properties`, `alternatives` or `allowed`.
    var members = 0..<0
    /// One bit for each mandatory property.
    var required: UInt64 = 0
  }

  struct Property: Sendable {
    /// Its name, in `names`.
    var name: Range<Int>
    var node: Int
    /// Its bit in `Node.required`; 0 if it is optional.
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
      // Schemas are part of the program, so more than 64 mandatory fields are a programming error.
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
