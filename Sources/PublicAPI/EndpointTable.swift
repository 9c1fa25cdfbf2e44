import HTTP
import Operations

/// Finds the endpoint of a request from the bytes of its path, without creating a string.
///
/// Paths without parameters are found by one hash lookup. The few with parameters are tried in
/// turn.
package struct EndpointTable: Sendable {
  /// The result of a lookup.
  package enum Match: Sendable {
    /// The endpoint of this method and path.
    case endpoint(Endpoint)
    /// The path exists, but not with this method; contains the supported methods for `Allow`.
    case otherMethods(String)
    /// No endpoint has this path.
    case nothing
  }

  /// The result as an index, for callers that store data of their own for each endpoint.
  package enum MatchIndex: Sendable, Equatable {
    /// The index of the endpoint in the array that created the table.
    case endpoint(Int)
    /// The path exists, but not with this method; contains the supported methods for `Allow`.
    case otherMethods(String)
    /// No endpoint has this path.
    case nothing
  }

  private struct Row: Sendable {
    var path: [UInt8]
    var indices: [Int]
  }

  /// The segments of a path with parameters; nil for a parameter.
  private struct Pattern: Sendable {
    var path: String
    var pieces: [[UInt8]?]
    var indices: [Int]
  }

  private let endpoints: [Endpoint]

  private var slots: [Int?]
  private var rows: [Row] = []
  private var patterns: [Pattern] = []

  /// Creates a table of these endpoints.
  package init(_ endpoints: [Endpoint]) {
    var size = 64
    while size < endpoints.count * 4 { size *= 2 }
    slots = Array(repeating: nil, count: size)
    self.endpoints = endpoints
    for index in endpoints.indices {
      if endpoints[index].path.utf8.contains(UInt8(ascii: "{")) {
        insertPattern(index)
      } else {
        insert(index)
      }
    }
  }

  private mutating func insertPattern(_ index: Int) {
    let path = endpoints[index].path
    if let known = patterns.firstIndex(where: { $0.path == path }) {
      patterns[known].indices.append(index)
      return
    }
    let pieces = path.split(separator: "/").map { $0.hasPrefix("{") ? nil : Array($0.utf8) }
    patterns.append(Pattern(path: path, pieces: pieces, indices: [index]))
  }

  private mutating func insert(_ index: Int) {
    let path = Array(endpoints[index].path.utf8)
    var slot = Self.hash(path.span) & (slots.count - 1)
    while let row = slots[slot] {
      if rows[row].path == path {
        rows[row].indices.append(index)
        return
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = rows.count
    rows.append(Row(path: path, indices: [index]))
  }

  /// The endpoint for a method and an undecoded path; HEAD is treated as GET.
  package func find(_ method: HTTPMethod, _ path: Span<UInt8>) -> Match {
    switch locate(method, path) {
    case .endpoint(let index): .endpoint(endpoints[index])
    case .otherMethods(let allow): .otherMethods(allow)
    case .nothing: .nothing
    }
  }

  /// The index of the endpoint for a method and an undecoded path; HEAD is treated as GET.
  package func locate(_ method: HTTPMethod, _ path: Span<UInt8>) -> MatchIndex {
    var slot = Self.hash(path) & (slots.count - 1)
    while let row = slots[slot] {
      if path.equals(rows[row].path) { return pick(method, rows[row].indices) }
      slot = (slot + 1) & (slots.count - 1)
    }
    for pattern in patterns where Self.fits(pattern.pieces, path) {
      return pick(method, pattern.indices)
    }
    return .nothing
  }

  /// Whether a path consists of these segments, all of them not empty.
  private static func fits(_ pieces: [[UInt8]?], _ path: Span<UInt8>) -> Bool {
    var start = 0
    for piece in pieces {
      guard start < path.count, path[start] == UInt8(ascii: "/") else { return false }
      var end = start + 1
      while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
      guard end > start + 1 else { return false }
      if let piece, !path.extracting(start + 1..<end).equals(piece) { return false }
      start = end
    }
    return start == path.count
  }

  private func pick(_ method: HTTPMethod, _ indices: [Int]) -> MatchIndex {
    let wanted = method == .head ? .get : method
    for index in indices where endpoints[index].method == wanted { return .endpoint(index) }
    return .otherMethods(indices.map { endpoints[$0].method.text }.joined(separator: ", "))
  }

  /// A hash without a random seed is safe here: an attacker's path is looked up but never stored.
  private static func hash(_ path: Span<UInt8>) -> Int {
    Int(truncatingIfNeeded: FNV1a.hash(path))
  }
}
