/// A small canvas for antialiased lines and discs in a few colours (inks), encoded as a PNG with
/// one byte per pixel.
///
/// The cost is bounded by the number of pixels and of line ends, for any geometry: a pixel covered
/// by one line of a stroke is not drawn again by the next.
package struct Canvas: Sendable {
  /// A colour in sRGB.
  package struct Colour: Sendable, Equatable {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    /// The colour with these components.
    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }
  }

  /// A position in pixels from the upper left corner.
  package struct Point: Sendable, Equatable {
    /// Pixels to the right.
    package let x: Double
    /// Pixels down.
    package let y: Double

    /// The point with these coordinates.
    package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  /// Pixels from left to right.
  package let width: Int
  /// Pixels from top to bottom.
  package let height: Int
  private let background: Colour
  private let inks: [Colour]
  /// 0 for the background, otherwise 1 + ink × 85 + coverage, with coverage from 0 to 84.
  private var pixels: [UInt8]

  /// Maximum number of inks.
  package static let inksMax = 3
  private static let levels = 85

  /// An empty canvas; inks after the third are ignored.
  package init(width: Int, height: Int, background: Colour, inks: [Colour]) {
    self.width = width
    self.height = height
    self.background = background
    self.inks = Array(inks.prefix(Self.inksMax))
    pixels = Array(repeating: 0, count: width * height)
  }

  /// Draws lines between consecutive points, with round ends.
  package mutating func draw(through points: [Point], radius: Double, ink: Int) {
    let brush = Brush(radius: radius)
    var isDrawn = Array(repeating: false, count: width * height)
    for (start, end) in zip(points, points.dropFirst()) {
      let steps = max(abs(end.x - start.x), abs(end.y - start.y)).rounded(.up)
      for step in 0...Int(min(max(steps, 1), Double(width + height))) {
        let share = Double(step) / max(steps, 1)
        let x = Int((start.x + share * (end.x - start.x)).rounded())
        let y = Int((start.y + share * (end.y - start.y)).rounded())
        guard x >= 0, x < width, y >= 0, y < height, !isDrawn[y * width + x] else { continue }
        isDrawn[y * width + x] = true
        stamp(brush, x, y, ink)
      }
    }
  }

  /// Draws a disc.
  package mutating func draw(discAt center: Point, radius: Double, ink: Int) {
    stamp(Brush(radius: radius), Int(center.x.rounded()), Int(center.y.rounded()), ink)
  }

  private mutating func stamp(_ brush: Brush, _ x: Int, _ y: Int, _ ink: Int) {
    guard inks.indices.contains(ink) else { return }
    let first = 1 + ink * Self.levels
    for dot in brush.dots {
      let (column, row) = (x + dot.right, y + dot.down)
      guard column >= 0, column < width, row >= 0, row < height else { continue }
      let place = row * width + column
      let old = Int(pixels[place])
      let new = first + Int((dot.share * Double(Self.levels - 1)).rounded())
      // At the edge over another ink, pixels covered by at most half keep the earlier ink.
      let isSameInk = old >= first && old < first + Self.levels
      if old == 0 || (isSameInk ? new > old : dot.share > 0.5) { pixels[place] = UInt8(new) }
    }
  }
}

/// A disc as pixels around its centre, each with its coverage.
private struct Brush {
  struct Dot {
    let right: Int
    let down: Int
    let share: Double
  }

  let dots: [Dot]

  init(radius: Double) {
    let reach = Int((radius + 1).rounded(.up))
    var dots: [Dot] = []
    for down in -reach...reach {
      for right in -reach...reach {
        let distance = Double(right * right + down * down).squareRoot()
        let share = min(max(radius + 0.5 - distance, 0), 1)
        if share > 0 { dots.append(Dot(right: right, down: down, share: share)) }
      }
    }
    self.dots = dots
  }
}

// MARK: The picture

extension Canvas {
  /// The picture as a PNG file.
  package var png: [UInt8] {
    var file = PNGParts.beginning
    var header: [UInt8] = []
    PNGParts.append(UInt32(width), to: &header)
    PNGParts.append(UInt32(height), to: &header)
    // Eight bits per pixel, with a palette, without interlacing.
    PNGParts.append("IHDR", header + [8, 3, 0, 0, 0], to: &file)
    PNGParts.append("PLTE", palette, to: &file)
    PNGParts.append("IDAT", Deflated.bytes(of: rows), to: &file)
    PNGParts.append("IEND", [], to: &file)
    return file
  }

  private var palette: [UInt8] {
    var palette = [background.red, background.green, background.blue]
    for ink in inks {
      for level in 0..<Self.levels {
        let share = Double(level) / Double(Self.levels - 1)
        for part in [\Colour.red, \Colour.green, \Colour.blue] {
          let (from, to) = (Double(background[keyPath: part]), Double(ink[keyPath: part]))
          palette.append(UInt8((from + share * (to - from)).rounded()))
        }
      }
    }
    return palette
  }

  /// The rows, each after its filter type: none.
  private var rows: [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity((width + 1) * height)
    for row in 0..<height {
      rows.append(0)
      rows += pixels[row * width..<(row + 1) * width]
    }
    return rows
  }
}
