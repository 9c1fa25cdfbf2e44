import Bytes
import Cryptography
import Time

/// Verifies that a confirmation comes from the broker. The header is `t=SECONDS,v1=HEX`, where the
/// hexadecimal value is HMAC-SHA256 over `SECONDS.BODY` (Stripe, "Verify webhook signatures
/// manually").
package struct PaymentSignature: Sendable {
  /// The allowed difference between a confirmation's time and the clock (Stripe's libraries: 300
  /// s).
  package static let toleranceSeconds: Int64 = 300
  /// The most signatures examined; during a rotation the header has one for each secret.
  package static let signaturesMax = 8

  private let key: HMACKey

  /// Signatures under the secret shared with the broker.
  package init(secret: SecretBytes) { key = HMACKey(secret) }

  /// The signature header for a confirmation.
  package func header(of body: Span<UInt8>, at now: Instant) -> String {
    let seconds = now.millisecondsSince1970 / 1000
    return "t=\(seconds),v1=\(signature(of: body, at: "\(seconds)"))"
  }

  /// Whether a header is a valid signature of this body at this time.
  package func verify(_ header: String, of body: Span<UInt8>, at now: Instant) -> Bool {
    var time: Substring?
    var signatures: [Substring] = []
    for part in header.split(separator: ",").prefix(Self.signaturesMax + 1) {
      if part.hasPrefix("t=") { time = part.dropFirst(2) }
      if part.hasPrefix("v1=") { signatures.append(part.dropFirst(3)) }
    }
    guard let time, let seconds = Int64(time), seconds >= 0,
      seconds <= now.millisecondsSince1970 / 1000 + Self.toleranceSeconds,
      seconds >= now.millisecondsSince1970 / 1000 - Self.toleranceSeconds
    else { return false }
    let expected = signature(of: body, at: String(time))
    return signatures.contains { areEqualInConstantTime(Array($0.utf8).span, expected.utf8.span) }
  }

  private func signature(of body: Span<UInt8>, at seconds: String) -> String {
    let head = Array("\(seconds).".utf8)
    let code = key.code(of: head.span, then: body).inlineBytes
    return Hexadecimal.encode(code.span)
  }
}
