import Foundation
import Images
import Requirements
import Testing

@Suite("Uploaded pictures")
struct SentPictureTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzz/Corpora/picture")

  private static func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private static func finds(_ words: String, in bytes: [UInt8]) -> Bool {
    Data(bytes).range(of: Data(words.utf8)) != nil
  }

  @Test(
    "metadata of cameras is removed: place, author, comments, bytes after the picture",
    .tags(.R38), arguments: ["camera.jpg", "camera.png"])
  func notes(name: String) throws {
    let file = try Self.file(name)
    let picture = try SentPicture(file)
    #expect((picture.width, picture.height) == (24, 16))
    for words in ["anary", "xmpmeta", "iCCP", "tEXt", "eXIf", "pHYs", "2026:11:22", "ICC_PROFILE"] {
      #expect(!Self.finds(words, in: picture.bytes), "\(words)")
    }
    #expect(Self.finds("anary", in: file))
    #expect(picture.bytes.count < file.count - 200)
    #expect(try SentPicture(picture.bytes) == picture)
  }

  @Test("the orientation is kept, and nothing else of Exif", .tags(.R38))
  func orientation() throws {
    let bytes = try SentPicture(try Self.file("camera.jpg")).bytes
    #expect(bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE1, 0, 34] + Array("Exif".utf8)))
    #expect(bytes[31] == 6)
    #expect(bytes[38...].starts(with: [0xFF, 0xDB]))
    let upright = try SentPicture(try Self.file("grey.jpg")).bytes
    #expect(!Self.finds("Exif", in: upright))
  }

  @Test(
    "pictures of every usual kind are accepted", .tags(.R38),
    arguments: [
      "progressive.jpg", "grey.jpg", "cmyk.jpg", "restarts.jpg", "palette.png", "grey-alpha.png",
      "bits.png", "animated.png",
    ])
  func kinds(name: String) throws {
    let picture = try SentPicture(try Self.file(name))
    #expect(picture.kind == (name.hasSuffix("jpg") ? .jpeg : .png))
    #expect((picture.width, picture.height) == (24, 16))
    #expect(!Self.finds("fdAT", in: picture.bytes))
  }

  @Test(
    "an incomplete or malformed picture is refused with a reason", .tags(.R38),
    arguments: [
      ("refused-cut.png", "The picture can't be read: It is cut off."),
      ("refused-sum.png", "The picture can't be read: A chunk is damaged."),
      ("refused-cut.jpg", "The picture can't be read: A segment is cut off."),
      (
        "refused-lossless.jpg",
        "The picture can't be read: It uses a coding that browsers do not support."
      ),
      ("refused-empty.jpg", "The picture can't be read: It has no size."),
      ("refused-other.gif", "Send a picture as JPEG or PNG."),
    ])
  func refused(name: String, words: String) throws {
    let file = try Self.file(name)
    let fault = #expect(throws: PictureFault.self) { try SentPicture(file) }
    #expect(fault?.description == words)
  }

  @Test("a picture at each limit is accepted, one beyond it is refused", .tags(.R38))
  func limits() throws {
    func png(_ width: UInt32, _ height: UInt32) throws -> [UInt8] {
      try Self.file("bits.png").withSize(width, height)
    }
    #expect(try SentPicture(png(10_000, 4_000)).width == 10_000)
    for (width, height) in [(10_001, 1), (1, 10_001), (10_000, 4_001)] as [(UInt32, UInt32)] {
      #expect(throws: PictureFault.tooLarge) { try SentPicture(try png(width, height)) }
    }
    let file = try Self.file("grey.jpg")
    let room = SentPicture.bytesMax - file.count
    #expect(try SentPicture(file + Array(repeating: 0, count: room)).height == 16)
    #expect(throws: PictureFault.tooLarge) {
      try SentPicture(file + Array(repeating: 0, count: room + 1))
    }
  }
}

extension [UInt8] {
  /// A PNG file with a different size in its header, and the header's checksum updated.
  fileprivate func withSize(_ width: UInt32, _ height: UInt32) -> [UInt8] {
    var file = self
    file.replaceSubrange(16..<24, with: width.bytes + height.bytes)
    var sum = UInt32.max
    for byte in file[12..<29] {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    file.replaceSubrange(29..<33, with: (~sum).bytes)
    return file
  }
}

extension UInt32 {
  fileprivate var bytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> ($0 as UInt32)) }
  }
}
