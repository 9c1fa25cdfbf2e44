import Bytes

/// The address of a page, such as `/app/runs/:code`: the part after a colon has any value.
package struct PageAddress: Sendable, Equatable {
  /// The parts between the slashes; nil for any value.
  private let parts: [[UInt8]?]

  init(_ pattern: some StringProtocol) {
    parts = pattern.split(separator: "/").map { $0.hasPrefix(":") ? nil : Array($0.utf8) }
  }

  /// Whether a path is one of this page, with or without a slash at its end.
  package func matches(_ path: ArraySlice<UInt8>) -> Bool {
    // A longer path cannot match: the rest is not split.
    let given = path.split(separator: UInt8(ascii: "/"), maxSplits: parts.count + 1)
    return given.count == parts.count
      && zip(given, parts).allSatisfy { part, expected in
        expected.map { part.elementsEqual($0) } ?? true
      }
  }
}

/// The addresses and modules of the pages, as the browser's list of routes names them.
enum PageRoutes {
  static let list = "Client/routes.js"

  /// The name of a page: that of its module's file.
  static func name(of module: String) -> Substring {
    module.split(separator: "/").last?.prefix { $0 != "." } ?? ""
  }

  /// The address and the module of each page in the list, which is a file of the pages.
  static func read(_ list: [UInt8]) -> [(address: PageAddress, module: String)] {
    let route = /path:\s*"([^"]+)"[^}]*?import\("\.\.\/(Pages\/[^"]+)"\)/
    return String(decoding: list, as: UTF8.self).matches(of: route).map { match in
      (PageAddress(match.1), String(match.2))
    }
  }
}
