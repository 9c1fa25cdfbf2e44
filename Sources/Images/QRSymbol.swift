import CQRencode

/// A QR code (ISO/IEC 18004): a square of dark and light modules that encodes a text.
///
/// Readable with up to 15% of it hidden (error correction level M). Created by libqrencode.
package struct QRSymbol: Sendable, Equatable {
  /// Modules per side, 21 to 177.
  package let width: Int
  private let isDark: [Bool]

  /// Width of the quiet zone on each side, in modules (ISO/IEC 18004, 9.1).
  package static let quietModules = 4

  /// Creates the symbol of a text in UTF-8; nil if the text is empty, has more than 2331 bytes or
  /// contains NUL.
  package init?(_ text: String) {
    guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
    // SAFETY: the library copies the text and returns a symbol that we must free; its data are
    // width × width bytes, read before it is freed.
    guard
      let symbol = unsafe text.withCString({ text in
        unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
      })
    else { return nil }
    defer { unsafe QRcode_free(symbol) }
    let width = unsafe Int(symbol.pointee.width)
    self.width = width
    isDark = unsafe UnsafeBufferPointer(start: symbol.pointee.data, count: width * width).map {
      $0 & 1 == 1
    }
  }

  /// Whether the module of a column and a row is dark, both counted from 0.
  package subscript(column: Int, row: Int) -> Bool { isDark[row * width + column] }
}

extension QRSymbol {
  /// The symbol with its white margin as SVG 1.1, which scales to any size: a path of one rectangle
  /// for each run of dark modules.
  package var svg: String {
    let side = width + 2 * Self.quietModules
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" \
      width="\(8 * side)" height="\(8 * side)" shape-rendering="crispEdges">\
      <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path d="\(darkRuns)"/></svg>

      """
  }

  private var darkRuns: String {
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        let start = column
        while column < width, self[column, row] { column += 1 }
        if column > start {
          let place = "M\(start + Self.quietModules) \(row + Self.quietModules)"
          path += "\(place)h\(column - start)v1h-\(column - start)z"
        }
        column += 1
      }
    }
    return path
  }
}
