/// Where everybody finds what is shown of a run, at the public address of this installation.
package struct PublicLinks: Sendable {
  private let base: String

  /// Links below this address, `TRACKME_PUBLIC_URL`.
  package init(publicURL: String) {
    base = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
  }

  /// The page of a run; what its QR code holds.
  func run(_ code: String) -> String { "\(base)/r/\(code)" }

  /// The page of a run with the result of one runner.
  func result(_ code: String, of number: Int32) -> String {
    "\(run(code))?runner=\(number)#n\(number)"
  }

  /// The QR code of a run.
  func qrCode(_ code: String) -> String { "\(base)/t4r/run/\(code)/qr.svg" }

  /// The picture that previews of a run's link show.
  func preview(_ code: String) -> String { "\(base)/r/\(code)/preview.png" }

  /// The picture of a run that has one.
  func picture(_ code: String) -> String { "\(base)/t4r/run/\(code)/picture" }
}
