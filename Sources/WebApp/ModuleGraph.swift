/// The browser's modules: what each one imports, and the literals in its code.
struct ModuleGraph {
  private let modules: [String: ModuleSource]

  /// Reads the modules among these files, which are given by their path.
  init(_ files: [String: [UInt8]]) {
    modules = Dictionary(
      uniqueKeysWithValues: files.filter { path, _ in path.hasSuffix(".js") }.map { path, bytes in
        (path, ModuleSource(bytes, at: path))
      })
  }

  /// A module and all that it imports, directly or not, in the order in which they are found;
  /// `withLater`: also what it imports while it runs.
  func reached(from first: String, withLater: Bool = false) -> [String] {
    var found = [first]
    var known: Set = [first]
    var next = 0
    while next < found.count {
      let module = modules[found[next]]
      for path in (module?.imports ?? []) + (withLater ? module?.laterImports ?? [] : [])
      where modules[path] != nil && known.insert(path).inserted {
        found.append(path)
      }
      next += 1
    }
    return found
  }

  /// The literals of a module.
  func literals(of path: String) -> Set<ModuleSource.Literal> { modules[path]?.literals ?? [] }
}

/// A module's code, as far as the server reads it.
struct ModuleSource {
  /// A text of letters, digits and `.`, `/`, `_`, `-` in quotation marks.
  struct Literal: Hashable {
    enum Kind {
      /// Only the beginning of the text; a value follows.
      case beginning
      /// An argument, an element of an array, or a value of a variable.
      case value
      case other
    }

    let text: String
    let kind: Kind
  }

  /// The paths of `import … from "./x.js"` and `export … from`.
  private(set) var imports: [String] = []
  /// The paths of `await import("./x.js")`.
  private(set) var laterImports: [String] = []
  private(set) var literals: Set<Literal> = []

  init(_ bytes: [UInt8], at path: String) {
    var index = 0
    while let quote = bytes[index...].firstIndex(where: { $0 == Self.quote || $0 == Self.tick }) {
      index = quote + 1
      let end = bytes[index...].firstIndex { !Self.isPart($0) } ?? bytes.endIndex
      let text = String(decoding: bytes[index..<end], as: UTF8.self)
      guard end < bytes.endIndex, !text.isEmpty else { continue }
      let isClosed = bytes[end] == bytes[quote]
      let isBeginning = bytes[quote] == Self.tick && bytes[end...].starts(with: "${".utf8)
      guard isClosed || isBeginning else { continue }
      index = isClosed ? end + 1 : end
      read(text, isClosed: isClosed, after: bytes[..<quote], in: path)
    }
  }

  private mutating func read(
    _ text: String, isClosed: Bool, after code: ArraySlice<UInt8>, in path: String
  ) {
    let code = code.suffix(32).trimmingSuffix { $0 == UInt8(ascii: " ") || $0 == 0x0A }
    if text.hasPrefix(".") {
      let target = Self.path(text, from: path)
      if code.ends(with: "from") || code.ends(with: "import") { imports.append(target) }
      if code.ends(with: "await import(") { laterImports.append(target) }
    } else {
      let isValue = code.last.map { "(,[=".utf8.contains($0) } ?? false
      literals.insert(
        Literal(text: text, kind: !isClosed ? .beginning : isValue ? .value : .other))
    }
  }

  private static let quote = UInt8(ascii: "\""), tick = UInt8(ascii: "`")

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "/"),
      UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The path that a relative address names in a file.
  private static func path(_ address: String, from file: String) -> String {
    var parts = file.split(separator: "/").dropLast()
    for part in address.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with text: StaticString) -> Bool {
    let ending = Array(text.description.utf8)
    return suffix(ending.count).elementsEqual(ending)
  }

  fileprivate func trimmingSuffix(while isTrimmed: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    guard let last = lastIndex(where: { !isTrimmed($0) }) else { return [] }
    return self[...last]
  }
}
