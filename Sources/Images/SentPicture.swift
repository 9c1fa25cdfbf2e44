/// An uploaded picture, stripped of everything except the picture itself.
///
/// Cameras store time, place and author in their files, and often a thumbnail from before the
/// picture was cropped. The file is therefore rewritten with only the parts that a viewer needs to
/// draw it (`JPEGParts`, `PNGParts`), whose structure is checked; everything else is removed,
/// including bytes after the picture's end. The image data are copied unchanged.
package struct SentPicture: Sendable, Equatable {
  /// The accepted file formats.
  package enum Kind: Int16, Sendable, CaseIterable {
    /// JPEG (ITU T.81).
    case jpeg = 1
    /// PNG (W3C PNG, third edition); one frame if it is animated.
    case png = 2

    /// The media type.
    package var mediaType: String {
      switch self {
      case .jpeg: "image/jpeg"
      case .png: "image/png"
      }
    }
  }

  /// The file format.
  package let kind: Kind
  /// Pixels from left to right.
  package let width: Int
  /// Pixels from top to bottom.
  package let height: Int
  /// The file.
  package let bytes: [UInt8]

  /// Maximum size of a file, in bytes.
  package static let bytesMax = 4 * 1024 * 1024
  /// Maximum length of a side, in pixels.
  package static let sideMax = 10_000
  /// Maximum number of pixels: a viewer needs four bytes of memory for each.
  package static let pixelsMax = 40_000_000

  /// Reads a file of either format.
  ///
  /// - Throws: `PictureFault` if the file is neither a complete JPEG nor a complete PNG, or is too
  ///   large.
  package init(_ file: [UInt8]) throws(PictureFault) {
    guard file.count <= Self.bytesMax else { throw .tooLarge }
    if file.starts(with: JPEGParts.beginning) {
      kind = .jpeg
      (width, height, bytes) = try JPEGParts.cleaned(file)
    } else if file.starts(with: PNGParts.beginning) {
      kind = .png
      (width, height, bytes) = try PNGParts.cleaned(file)
    } else {
      throw .unknownKind
    }
  }

  /// Checks the size stated in a file.
  static func check(width: Int, height: Int) throws(PictureFault) {
    guard width > 0, height > 0 else { throw .malformed("It has no size.") }
    guard width <= sideMax, height <= sideMax, width * height <= pixelsMax else { throw .tooLarge }
  }
}

/// Why a file is not accepted as a picture.
package enum PictureFault: Error, Equatable, CustomStringConvertible {
  /// It is neither JPEG nor PNG.
  case unknownKind
  /// It has too many bytes or pixels.
  case tooLarge
  /// It begins as one of them but is malformed.
  case malformed(StaticString)

  /// What to change, as a sentence.
  package var description: String {
    switch self {
    case .unknownKind: "Send a picture as JPEG or PNG."
    case .tooLarge:
      "Send a picture of at most \(SentPicture.bytesMax) bytes, \(SentPicture.sideMax) pixels a "
        + "side and \(SentPicture.pixelsMax / 1_000_000) million pixels."
    case .malformed(let detail): "The picture can't be read: \(detail)"
    }
  }

  package static func == (left: Self, right: Self) -> Bool { left.description == right.description }
}
