import HTTP
import Privacy

/// A response as it is kept for repetitions: the body's hash, the status and the answer's bytes.
enum KeptResponse {
  private static let context = SealContext(
    table: "idempotent_answers", column: "sealed_answer", row: SealRow(0))

  static func seal(
    _ response: Response, with key: IdempotentAnswerKey, for request: Request
  ) -> [UInt8] {
    var plain = SHA256.digest(of: request.body.bytes.span).bytes
    plain.append(UInt8(truncatingIfNeeded: response.status.code >> 8))
    plain.append(UInt8(truncatingIfNeeded: response.status.code))
    if case .bytes(let bytes) = response.body { plain.append(contentsOf: bytes) }
    return key.sealingKey.seal(plain.span, for: context)
  }

  /// - Throws: 422 `Key reused` for another body, 500 for an answer that can't be read.
  static func open(
    _ sealed: [UInt8], with key: IdempotentAnswerKey, for request: Request
  ) throws(Problem) -> Response {
    guard let plain = try? key.sealingKey.open(sealed.span, for: context), plain.count >= 34 else {
      throw .internalError
    }
    let hash = SHA256.digest(of: request.body.bytes.span).bytes
    guard plain.prefix(32).elementsEqual(hash) else { throw .keyReused }
    let status = HTTPStatus(Int(plain[32]) << 8 | Int(plain[33]))
    return .json(Array(plain.dropFirst(34)), status: status)
  }
}
