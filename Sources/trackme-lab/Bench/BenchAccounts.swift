import Bytes
import Cryptography
import EventLoop
import Installation
import Operations
import Postgres
import ServiceKit

/// `trackme-lab bench accounts`: creates logged-in single users without the hundreds of password
/// hashes and mails of a registration. Their keys, sessions and tokens are real.
enum BenchAccounts {
  /// The most accounts of one call.
  static let countMax = 20_000
  /// The first account number.
  static let firstNumber = 1

  static func run(_ arguments: [String]) -> Int32 {
    guard let count = Int(arguments[0]), (1...countMax).contains(count) else {
      Terminal.complain("The number of accounts must be from 1 to \(countMax).")
      return 2
    }
    return Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(
        Array(arguments.dropFirst()), commandFlags: ["--tokens", "--parties-from"])
      guard operands.count >= 2, operands[0] == "--tokens" else {
        throw StartError(BenchCommand.usage)
      }
      // Third parties and people have numbers in different ranges.
      let isParties = operands.count == 4 && operands[2] == "--parties-from"
      guard operands.count == 2 || isParties,
        let first = isParties ? Int(operands[3]) : firstNumber
      else { throw StartError(BenchCommand.usage) }
      let made = try make(count, from: first, as: isParties ? 2 : 1, installation)
      try write(made, to: operands[1])
    }
  }

  /// An account and the token of its session.
  private struct Made {
    let number: Int64
    let token: IssuedToken
    let wrappedKey: [UInt8]
  }

  private static func make(
    _ count: Int, from first: Int, as kind: Int, _ installation: Installation
  ) throws(StartError) -> [Made] {
    let urls = try DatabaseURLs(installation)
    let tokens = TokenAuthority(root: try installation.settings.rootSecret())
    let wrapper = KeyWrapper(try installation.settings.masterKeys())
    let made = (0..<count).map { index in
      let number = Int64(first + index)
      return Made(
        number: number, token: tokens.issue(.session),
        wrappedKey: wrapper.wrap(.random(), account: number))
    }
    let keys = try urls.url(.data4help, .keys)
    let data = try urls.url(.data4help, .trackme)
    do throws(AdminSessionError) {
      try store(made, as: kind, keys: keys.revealed, data: data.revealed)
    } catch {
      throw StartError(error.description)
    }
    return made
  }
}

// MARK: Keys, rows, tokens

extension BenchAccounts {
  /// Stores keys first, as a registration does; sessions take the next numbers of their clock.
  private static func store(
    _ made: [Made], as kind: Int, keys: String, data: String
  ) throws(AdminSessionError) {
    let numbers = "{\(made.map { "\($0.number)" }.joined(separator: ","))}"
    let wrapped = array(made.map { $0.wrappedKey })
    let hashes = array(made.map { $0.token.hash.bytes })
    _ = try AdminSession(url: keys, applicationName: "bench").rows(
      """
      INSERT INTO account_keys (account_id, wrapped_key, created_at)
      SELECT number, wrapped, now()
        FROM unnest($1::bigint[], $2::bytea[]) AS made (number, wrapped)
      """, [numbers, wrapped])
    let session = try AdminSession(url: data, applicationName: "bench")
    _ = try session.rows(
      """
      INSERT INTO data4help.accounts
             (account_id, kind, state, password_hash, registered_at, activated_at, sealed_email,
              sealed_identity, sealed_profile, birth_date, sex)
      SELECT number, $2::int2, 2, '', now(), now(), '', '', '',
             CASE WHEN $2::int2 = 1 THEN DATE '1980-01-01' END, CASE WHEN $2::int2 = 1 THEN 'F' END
        FROM unnest($1::bigint[]) AS made (number)
      """, [numbers, "\(kind)"])
    _ = try session.rows(
      """
      WITH clock AS (
             UPDATE data4help.session_clock
                SET change = change + cardinality($1::bigint[]) RETURNING change)
      INSERT INTO data4help.sessions
             (token_hash, account_id, kind, started_at, last_used_at, expires_at, change)
      SELECT hash, number, $3::int2, now(), now(), now() + INTERVAL '1 day',
             clock.change - place + 1
        FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS made (number, hash, place), clock
      """, [numbers, hashes, "\(kind)"])
  }

  /// A `bytea[]` literal of PostgreSQL.
  private static func array(_ values: [[UInt8]]) -> String {
    let texts = values.map { #""\\x\#(Hexadecimal.encode($0.span))""# }
    return "{\(texts.joined(separator: ","))}"
  }

  /// Writes one token per line, ordered by account number, into a file that only its owner can
  /// read.
  private static func write(_ made: [Made], to path: String) throws(StartError) {
    let text = made.map { "\($0.token.text)\n" }.joined()
    do throws(SystemError) {
      try FileSystem.writeAtomically(path, Array(text.utf8))
    } catch {
      throw StartError("\(path) can't be written", error)
    }
  }
}
