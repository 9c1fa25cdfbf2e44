/// A picture that somebody sent, without anything that is not the picture.
///
/// Cameras write into their files when, where and by whom a picture was taken, and often a smaller
/// picture from before it was cut. So the file is written anew from the parts that a viewer needs
/// to draw it (`JPEGParts`, `PNGParts`), each checked for its shape; everything else is left
/// behind, also what stands behind the picture's end. The drawn data themselves are copied as they
/// are.
package struct SentPicture: Sendable, Equatable {
  /// The kinds of file that are taken.
  package enum Kind: Int16, Sendable, CaseIterable {
    /// JPEG (ITU T.81).
    case jpeg = 1
    /// PNG (W3C PNG, third edition), one picture of it if it is animated.
    case png = 2

    /// The media type.
    package var mediaType: String {
      switch self {
      case .jpeg: "image/jpeg"
      case .png: "image/png"
      }
    }
  }

  /// What kind of file it is.
  package let kind: Kind
  /// Pixels from left to right.
  package let width: Int
  /// Pixels from top to bottom.
  package let height: Int
  /// The file.
  package let bytes: [UInt8]

  /// Bytes of a file at most.
  package static let bytesMax = 4 * 1024 * 1024
  /// Pixels of a side at most.
  package static let sideMax = 10_000
  /// Pixels of a picture at most: who looks at it needs four bytes of memory for each.
  package static let pixelsMax = 40_000_000

  /// Reads a file of either kind.
  ///
  /// - Throws: `PictureFault` for anything that is not wholly one of them, or is too large.
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

  /// Checks what a file says of its size.
  static func check(width: Int, height: Int) throws(PictureFault) {
    guard width > 0, height > 0 else { throw .malformed("It has no size.") }
    guard width <= sideMax, height <= sideMax, width * height <= pixelsMax else { throw .tooLarge }
  }
}

/// Why a file is not taken as a picture.
package enum PictureFault: Error, Equatable, CustomStringConvertible {
  /// It is neither JPEG nor PNG.
  case unknownKind
  /// It has too many bytes or pixels.
  case tooLarge
  /// It says that it is one of them and is not wholly so.
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
