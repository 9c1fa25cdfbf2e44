import Images

/// An accepted picture is within its limits and is unchanged when it is processed again.
package func fuzzPicture(_ bytes: [UInt8]) {
  guard let picture = try? SentPicture(bytes) else { return }
  precondition((1...SentPicture.sideMax).contains(picture.width))
  precondition(picture.width * picture.height <= SentPicture.pixelsMax)
  let again = try? SentPicture(picture.bytes)
  precondition(again == picture, "a picture changes when it is cleaned again")
}
