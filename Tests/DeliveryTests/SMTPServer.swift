// SAFETY of the whole file: a pipe whose buffers live for each call, with their own size.
import Glibc
import Synchronization

/// A mail server of a few lines on the loopback, which behaves or misbehaves as told.
final class SMTPServer: Sendable {
  /// What it does with a conversation.
  enum Manner: Sendable {
    /// Takes everything.
    case accepting
    /// Answers this to the recipient.
    case refusingRecipient(String)
    /// Answers this after the text.
    case refusingText(String)
    /// Answers this at once.
    case refusingAll(String)
    /// Hangs up after 354, before anything of the text.
    case closingBeforeText
    /// Hangs up in the middle of the text.
    case closingInText
    /// Hangs up after the text without an answer.
    case closingAfterText
    /// Answers the text when it is told to.
    case hesitating
    /// Never says anything.
    case silent
    /// Refuses every connection; the port stays its own.
    case absent
    /// Offers STARTTLS and begins it, but has no certificate.
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

  /// Its port.
  var port: UInt16 { listener.port }
  /// How it is reached.
  var url: String { "smtp://127.0.0.1:\(port)" }
  /// The texts it has taken, as they came.
  var texts: [String] { conversations.state.withLock { $0.texts } }
  /// All that was said to it before the text.
  var commands: [String] { conversations.state.withLock { $0.commands } }

  /// Returns once somebody has connected.
  func waitUntilConnected() async {
    await withCheckedContinuation { continuation in
      conversations.state.withLock { state in
        if state.connections > 0 { continuation.resume() } else { state.waiter = continuation }
      }
    }
  }

  /// Returns once it has got all of a text.
  func waitUntilGiven() async {
    await withCheckedContinuation { continuation in
      conversations.state.withLock { state in
        if state.hasText { continuation.resume() } else { state.textWaiter = continuation }
      }
    }
  }

  /// Lets a server that hesitates answer.
  func answer() { conversations.answer() }

  func behave(_ manner: Manner) { conversations.state.withLock { $0.manner = manner } }

  /// Ends it; conversations under way break.
  func stop() { listener.stop() }
}

/// What a mail server says and has heard, on the thread of its listener.
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
  /// What `answer` says, for the thread that waits for it.
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
