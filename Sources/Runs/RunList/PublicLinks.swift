/// Public URLs of runs, at the public address of this installation.
package struct PublicLinks: Sendable {
  private let base: String

  /// Links below this address, `TRACKME_PUBLIC_URL`.
  package init(publicURL: String) {
    base = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
  }

  /// The page of a run; its QR code contains this URL.
  package func run(_ code: String) -> String { "\(base)/r/\(code)" }

  /// The page of a run, showing the result of one runner.
  package func result(_ code: String, of number: Int32) -> String {
    "\(run(code))?runner=\(number)#n\(number)"
  }

  /// The QR code of a run.
  func qrCode(_ code: String) -> String { "\(base)/t4r/run/\(code)/qr.svg" }

  /// The picture for previews of a run's link.
  package func preview(_ code: String) -> String { "\(base)/r/\(code)/preview.png" }

  /// The picture of a run, if it has one.
  package func picture(_ code: String) -> String { "\(base)/t4r/run/\(code)/picture" }
}
