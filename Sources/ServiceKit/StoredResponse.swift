import Bytes
import Cryptography
import Domain
import HTTP
import Web

/// A response in the form kept for repetitions: the hash of the request's body, then status, fields
/// and bytes of the response.
struct StoredResponse {
  /// The context under which it is sealed.
  static let context = SealContext(
    table: "idempotent_answers", column: "sealed_answer", row: SealRow(0))

  let body: Digest256
  let response: Response

  /// Keeps a response to a body with this hash.
  ///
  /// - Throws: `internalError` for a streamed response, which can't be repeated.
  init(_ response: Response, to body: Digest256) throws(ApplicationError) {
    guard case .bytes = response.body else {
      throw .internalError(because: "A streamed response can't be stored for repetitions.")
    }
    self.body = body
    self.response = response
  }

  /// The parts in order, each after its length: hash, status, bytes, then name and value of each
  /// field.
  func encoded() -> [UInt8] {
    var encoded: [UInt8] = []
    func append(_ part: [UInt8]) {
      encoded.append(contentsOf: UInt32(truncatingIfNeeded: part.count).bigEndianBytes)
      encoded.append(contentsOf: part)
    }
    append(body.bytes)
    append(Array(String(response.status.code).utf8))
    if case .bytes(let bytes) = response.body { append(bytes) }
    response.fields.forEach { _, name, value in
      append(name.indices.map { name[$0] })
      append(value.indices.map { value[$0] })
    }
    return encoded
  }

  /// Reads the output of `encoded`; nil for anything else.
  init?(encoded: [UInt8]) {
    var parts: [[UInt8]] = []
    var rest = encoded[...]
    while !rest.isEmpty {
      let count = Int(UInt32(bigEndianBytes: rest.prefix(4)))
      guard rest.count >= 4 + count else { return nil }
      parts.append(Array(rest.dropFirst(4).prefix(count)))
      rest = rest.dropFirst(4 + count)
    }
    guard parts.count >= 3, parts.count % 2 == 1,
      let status = Int(String(decoding: parts[1], as: UTF8.self))
    else { return nil }
    let hash = parts[0]
    guard let body = try? Digest256(bytes: hash.span) else { return nil }
    var fields = HTTPFields()
    for index in stride(from: 3, to: parts.count, by: 2) {
      fields.append(
        String(decoding: parts[index], as: UTF8.self),
        String(decoding: parts[index + 1], as: UTF8.self))
    }
    self.body = body
    response = Response(HTTPStatus(status), fields: fields, body: .bytes(parts[2]))
  }
}
