/// The decoder of HPACK's Huffman code (RFC 7541, section 5.2 and appendix B).
///
/// A table of transitions reads four bits at a time: the shortest code has five, so that a step
/// yields at most one symbol.
package enum HPACKHuffman {
  /// The lengths of the codes in bits, by symbol; the last one is the end of the string, which must
  /// not occur. The code is canonical: the lengths determine it.
  private static let lengths: [UInt8] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7,
    7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
  ]
  private static let shortest = 5
  private static let longest = 30
  private static let endOfString = 256

  /// The transitions by state and four bits: a symbol (bits 0 to 7), the next state (8 to 15), and
  /// the flags below.
  private static let transitions = makeTransitions()
  private static let emits: UInt32 = 1 << 16
  /// The text may end in the next state: the bits since the last symbol are valid padding.
  private static let mayEnd: UInt32 = 1 << 17
  private static let fails: UInt32 = 1 << 18

  /// Appends the text that `bytes` encode; false if they encode the end of the string, or end with
  /// padding that is longer than seven bits or not the beginning of that symbol.
  package static func decode(_ bytes: Span<UInt8>, into output: inout [UInt8]) -> Bool {
    let transitions = transitions.span
    var state = 0
    var last = mayEnd
    var failures: UInt32 = 0
    output.append(addingCapacity: bytes.count * 8 / shortest) { output in
      for index in bytes.indices {
        let byte = Int(bytes[index])
        let first = transitions[state << 4 | byte >> 4]
        if first & emits != 0 { output.append(UInt8(truncatingIfNeeded: first)) }
        last = transitions[Int(first >> 8 & 0xFF) << 4 | byte & 15]
        if last & emits != 0 { output.append(UInt8(truncatingIfNeeded: last)) }
        state = Int(last >> 8 & 0xFF)
        failures |= first | last
      }
    }
    return failures & fails == 0 && last & mayEnd != 0
  }

  // MARK: The table

  /// A node of the code's tree: what follows a bit of 0 and one of 1. A negative number is the
  /// symbol -1 - n, another one the index of a node.
  private struct Node {
    var next = InlineArray<2, Int>(repeating: 0)
  }

  private static func makeTree() -> [Node] {
    var nodes = [Node()]
    var code = 0
    for length in shortest...longest {
      for symbol in lengths.indices where Int(lengths[symbol]) == length {
        insert(symbol, code, length, into: &nodes)
        code += 1
      }
      code <<= 1
    }
    return nodes
  }

  private static func insert(_ symbol: Int, _ code: Int, _ length: Int, into nodes: inout [Node]) {
    var node = 0
    for shift in (1..<length).reversed() {
      let bit = code >> shift & 1
      if nodes[node].next[bit] == 0 {
        nodes[node].next[bit] = nodes.count
        nodes.append(Node())
      }
      node = nodes[node].next[bit]
    }
    nodes[node].next[code & 1] = -1 - symbol
  }

  private static func makeTransitions() -> [UInt32] {
    let nodes = makeTree()
    // The states of up to seven bits of 1 since the last symbol.
    var endings: Set<Int> = [0]
    var padded = 0
    for _ in 0..<7 {
      padded = nodes[padded].next[1]
      endings.insert(padded)
    }
    var table: [UInt32] = []
    table.reserveCapacity(nodes.count * 16)
    for state in nodes.indices {
      for bits in 0..<16 { table.append(transition(nodes, state, bits, endings)) }
    }
    return table
  }

  private static func transition(
    _ nodes: [Node], _ state: Int, _ bits: Int, _ endings: Set<Int>
  ) -> UInt32 {
    var node = state
    var transition: UInt32 = 0
    for shift in [3, 2, 1, 0] {
      node = nodes[node].next[bits >> shift & 1]
      guard node < 0 else { continue }
      let symbol = -1 - node
      transition |= symbol == endOfString ? fails : emits | UInt32(symbol)
      node = 0
    }
    if endings.contains(node) { transition |= mayEnd }
    return transition | UInt32(node) << 8
  }
}
