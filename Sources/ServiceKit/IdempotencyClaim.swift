import Bytes
import Cryptography
import Domain
import Postgres
import Time
import Web

/// The `Idempotency-Key` of one request: finds the response kept under it, and keeps one.
package struct IdempotencyClaim {
  private let key: IdempotentAnswerKey
  private let account: AccountID?
  private let now: Instant

  init(key: IdempotentAnswerKey, of account: AccountID?, at now: Instant) {
    self.key = key
    self.account = account
    self.now = now
  }

  /// Locks the key until the end of the transaction.
  ///
  /// - Throws: `conflict` with `retryAfter` while another transaction holds it. That of a killed
  ///   process ends only when PostgreSQL notices the lost connection.
  func lock(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    guard try await transaction.runOne(LockKey(number: key.name.lockNumber)) == true else {
      throw ApplicationError(
        .conflict, detail: "The first request with this Idempotency-Key is still running.",
        retryAfter: 1)
    }
  }

  /// The response that was kept within the last 24 hours.
  package func kept(in transaction: Transaction<ApplicationError>) async throws(ApplicationError)
    -> SealedResponse?
  {
    opened(try await transaction.runOne(lookup))
  }

  /// Keeps a response to a body with this hash, in the transaction of the effect.
  ///
  /// - Throws: `internalError` for a streamed response, which can't be kept.
  package func keep(
    _ response: Response, to body: Digest256, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let sealed = key.sealingKey.seal(
      try StoredResponse(response, to: body).encoded().span, for: StoredResponse.context)
    try await transaction.run(KeepAnswer(name: key.name, sealed: sealed, at: now, account: account))
  }

  var lookup: FindAnswer {
    FindAnswer(name: key.name, after: now - IdempotentEffects.keptFor)
  }

  func opened(_ sealed: [UInt8]?) -> SealedResponse? {
    sealed.map { SealedResponse(sealed: $0, key: key.sealingKey) }
  }
}

/// A response that was kept for repetitions; reading it requires the hash of the first body.
package struct SealedResponse {
  let sealed: [UInt8]
  let key: SealingKey

  /// The response.
  ///
  /// - Throws: `keyReused` for another body, `internalError` for a response that can't be read.
  package func answer(to body: Digest256) throws(ApplicationError) -> Response {
    let kept: StoredResponse?
    do throws(CryptographyError) {
      kept = StoredResponse(encoded: try key.open(sealed.span, for: StoredResponse.context))
    } catch {
      kept = nil
    }
    guard let kept else {
      throw .internalError(because: "A stored response is corrupt.")
    }
    guard kept.body == body else { throw .keyReused }
    return kept.response
  }
}

extension IdempotencyName {
  /// The number of the key's advisory lock.
  fileprivate var lockNumber: Int64 {
    Int64(bigEndianBytes: bytes.prefix(8))
  }
}
