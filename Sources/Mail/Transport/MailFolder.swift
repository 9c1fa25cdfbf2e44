import EventLoop
import Operations

/// Writes each mail to a file in a directory, for installations without a mail server.
///
/// The file is named after the mail's identifier, so a repeated attempt writes the same file.
package struct MailFolder: MailTransport {
  private let path: String
  private let pool: BlockingPool

  /// The directory at `path`, which is created with the first mail.
  ///
  /// - Throws: `SystemError` when the system refuses the thread that writes.
  package init(path: String) throws(SystemError) {
    self.path = path
    pool = try BlockingPool(name: "mail", threads: 1, queueMax: 64)
  }

  /// Writes the file atomically; every failure is temporary.
  package func send(_ mail: MailMessage) async throws(MailError) {
    let path = path
    let outcome: Result<Void, SystemError>
    do throws(BlockingPoolError) {
      outcome = try await pool.run { () throws(SystemError) in
        try FileSystem.makeDirectories(path)
        try FileSystem.writeAtomically("\(path)/\(mail.id).eml", mail.rendered)
      }
    } catch {
      throw .temporary(.busy)
    }
    if case .failure(let error) = outcome { throw .temporary(.file(Int(error.code))) }
  }
}
