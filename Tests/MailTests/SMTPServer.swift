// SAFETY of the whole file: a pipe whose buffers exist during each call and are passed with their
// size.
import Glibc
import Support
import Synchronization

/// A minimal mail server on the loopback with configurable faults.
final class SMTPServer: Sendable {
  /// The behaviour in a conversation.
  enum Manner: Sendable {
    /// Accepts every mail.
    case accepting
    /// Sends this reply to the recipient.
    case refusingRecipient(String)
    /// Sends this reply after the text.
    case refusingText(String)
    /// Sends this reply immediately.
    case refusingAll(String)
    /// Closes the connection after 354, before reading the text.
    case closingBeforeText
    /// Closes the connection in the middle of the text.
    case closingInText
    /// Closes the connection after the text without a reply.
    case closingAfterText
    /// Replies to the text on request only.
    case hesitating
    /// Never sends anything.
    case silent
    /// Refuses every connection but keeps its port.
    case absent
    /// Offers and starts STARTTLS, but has no certificate.
    case offeringTLS
  }

  private let conversations: MailConversations
  private let listener: LoopbackListener

  init(_ manner: Manner) throws {
    conversations = MailConversations(manner)
    var isListening = true
    if case .absent = manner { isListening = false }
    listener = try LoopbackListener(isListening: isListening) { [conversations] connection in
      conversations.converse(connection)
    }
  }

  var port: UInt16 { listener.port }
  /// The URL of the server.
  var url: String { "smtp://127.0.0.1:\(port)" }
  /// The accepted texts in order of arrival.
  var texts: [String] { conversations.state.withLock { $0.texts } }
  /// All received commands before the text.
  var commands: [String] { conversations.state.withLock { $0.commands } }

  /// Returns once a client has connected.
  func waitUntilConnected() async {
    await withCheckedContinuation { continuation in
      conversations.state.withLock { state in
        if state.connections > 0 { continuation.resume() } else { state.waiter = continuation }
      }
    }
  }

  /// Returns once it has received a whole text.
  func waitUntilReceived() async {
    await withCheckedContinuation { continuation in
      conversations.state.withLock { state in
        if state.hasText { continuation.resume() } else { state.textWaiter = continuation }
      }
    }
  }

  /// Releases the reply of a hesitating server.
  func answer() { conversations.answer() }

  func behave(_ manner: Manner) { conversations.state.withLock { $0.manner = manner } }

  /// Stops the server and its conversations.
  func stop() { listener.stop() }
}

/// The conversations of a mail server on the thread of its listener.
private final class MailConversations: Sendable {
  struct State {
    var manner: SMTPServer.Manner
    var texts: [String] = []
    var commands: [String] = []
    var connections = 0
    var waiter: CheckedContinuation<Void, Never>?
    var hasText = false
    var textWaiter: CheckedContinuation<Void, Never>?
  }

  let state: Mutex<State>
  /// The pipe by which `answer` signals the waiting thread.
  private let word: (reading: LoopbackConnection, writing: Int32)

  init(_ manner: SMTPServer.Manner) {
    state = Mutex(State(manner: manner))
    var ends: [Int32] = [-1, -1]
    _ = unsafe pipe(&ends)
    word = (LoopbackConnection(descriptor: ends[0]), ends[1])
  }

  deinit { for descriptor in [word.reading.descriptor, word.writing] { close(descriptor) } }

  func answer() { _ = unsafe write(word.writing, "\n", 1) }

  func converse(_ connection: LoopbackConnection) {
    let manner = state.withLock { state in
      state.connections += 1
      state.waiter?.resume()
      state.waiter = nil
      return state.manner
    }
    if case .silent = manner {
      _ = connection.readLine()
      return
    }
    if case .refusingAll(let reply) = manner {
      say(connection, reply)
      return
    }
    say(connection, "220 test")
    while let line = connection.readLine() {
      state.withLock { $0.commands.append(line) }
      switch line.prefix(4).uppercased() {
      case "EHLO":
        if case .offeringTLS = manner {
          say(connection, "250-test\r\n250 STARTTLS")
        } else {
          say(connection, "250 test")
        }
      case "STAR":
        say(connection, "220 go ahead")
        let first = connection.readByte()
        state.withLock { $0.commands.append("byte \(first ?? 0)") }
        return
      case "RCPT":
        if case .refusingRecipient(let reply) = manner {
          say(connection, reply)
        } else {
          say(connection, "250 ok")
        }
      case "DATA":
        say(connection, "354 go on")
        if case .closingBeforeText = manner { return }
        guard takeText(connection, manner) else { return }
      case "QUIT":
        say(connection, "221 bye")
        return
      default: say(connection, "250 ok")
      }
    }
  }

  private func takeText(_ connection: LoopbackConnection, _ manner: SMTPServer.Manner) -> Bool {
    var lines: [String] = []
    while let line = connection.readLine(), line != "." {
      if case .closingInText = manner, lines.count == 4 { return false }
      lines.append(line)
    }
    state.withLock { state in
      state.hasText = true
      state.textWaiter?.resume()
      state.textWaiter = nil
    }
    if case .hesitating = manner { _ = word.reading.readByte() }
    if case .refusingText(let reply) = manner {
      say(connection, reply)
      return true
    }
    state.withLock { $0.texts.append(lines.joined(separator: "\n")) }
    if case .closingAfterText = manner { return false }
    say(connection, "250 taken")
    return true
  }

  private func say(_ connection: LoopbackConnection, _ line: String) {
    connection.say(line + "\r\n")
  }
}
