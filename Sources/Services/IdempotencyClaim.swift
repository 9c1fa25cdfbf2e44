import Domain
import EventLoop
import HTTP
import Postgres
import Privacy

/// The `Idempotency-Key` of one request: finds the answer that was kept under it, and keeps one.
package struct IdempotencyClaim {
  private let key: IdempotentAnswerKey
  private let account: AccountID?
  private let now: WallTime

  init(key: IdempotentAnswerKey, of account: AccountID?, at now: WallTime) {
    self.key = key
    self.account = account
    self.now = now
  }

  /// Holds the key until the end of the transaction.
  ///
  /// - Throws: 409 where another transaction holds it.
  func lock(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    guard try await transaction.runOne(LockKey(number: key.name.lockNumber)) == true else {
      throw .conflict("The first request with this Idempotency-Key still runs.")
    }
  }

  /// The answer that was kept within the last 24 hours.
  package func kept(in transaction: Transaction<ApplicationError>) async throws(ApplicationError)
    -> KeptAnswer?
  {
    opened(try await transaction.runOne(lookup))
  }

  /// Keeps an answer to a body of this hash, in the transaction of the effect.
  ///
  /// - Throws: 500 for an answer that can't be kept because it is written piece by piece.
  package func keep(
    _ response: Response, to body: Digest256, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let sealed = key.sealingKey.seal(
      try KeptResponse(response, to: body).encoded().span, for: KeptResponse.context)
    try await transaction.run(KeepAnswer(name: key.name, sealed: sealed, at: now, account: account))
  }

  var lookup: FindAnswer {
    FindAnswer(name: key.name, after: now - IdempotentEffects.keptFor)
  }

  func opened(_ sealed: [UInt8]?) -> KeptAnswer? {
    sealed.map { KeptAnswer(sealed: $0, key: key.sealingKey) }
  }
}

/// An answer that was kept for repetitions; whoever wants it has to bring the first body's hash.
package struct KeptAnswer {
  let sealed: [UInt8]
  let key: SealingKey

  /// The answer.
  ///
  /// - Throws: 422 `Key reused` for another body, 500 for an answer that can't be read.
  package func answer(to body: Digest256) throws(ApplicationError) -> Response {
    let kept: KeptResponse?
    do throws(PrivacyError) {
      kept = KeptResponse(encoded: try key.open(sealed.span, for: KeptResponse.context))
    } catch {
      kept = nil
    }
    guard let kept else {
      throw .internalError(because: "A kept answer is not what was sealed.")
    }
    guard kept.body == body else { throw .keyReused }
    return kept.response
  }
}

extension IdempotencyName {
  /// A number for the advisory lock that one key takes.
  fileprivate var lockNumber: Int64 {
    Int64(bigEndianBytes: bytes.prefix(8))
  }
}
