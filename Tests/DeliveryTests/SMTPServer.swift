// SAFETY of the whole file: a socket server on a thread of its own; every buffer passed to the
// system lives for the call, with its own size.
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

  private struct State {
    var manner: Manner
    var texts: [String] = []
    var commands: [String] = []
    var connections = 0
    var waiter: CheckedContinuation<Void, Never>?
    var hasText = false
    var textWaiter: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>
  private let listener: Int32
  /// What `answer` says, for the thread that waits for it.
  private let word: (reading: Int32, writing: Int32)
  /// Its port.
  let port: UInt16

  init(_ manner: Manner) throws {
    state = Mutex(State(manner: manner))
    var ends: [Int32] = [-1, -1]
    _ = unsafe pipe(&ends)
    word = (ends[0], ends[1])
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isReady = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, length) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isReady else { throw Failure() }
    port = UInt16(bigEndian: address.sin_port)
    if case .absent = manner { return }
    guard listen(listener, 16) == 0 else { throw Failure() }
    let server = unsafe Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t()
    _ = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<SMTPServer>.fromOpaque(context).takeRetainedValue().serve()
        return nil
      }, server)
    pthread_detach(thread)
  }

  struct Failure: Error {}

  /// How it is reached.
  var url: String { "smtp://127.0.0.1:\(port)" }
  /// The texts it has taken, as they came.
  var texts: [String] { state.withLock { $0.texts } }
  /// All that was said to it before the text.
  var commands: [String] { state.withLock { $0.commands } }

  /// Returns once somebody has connected.
  func waitUntilConnected() async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        if state.connections > 0 { continuation.resume() } else { state.waiter = continuation }
      }
    }
  }

  /// Returns once it has got all of a text.
  func waitUntilGiven() async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        if state.hasText { continuation.resume() } else { state.textWaiter = continuation }
      }
    }
  }

  /// Lets a server that hesitates answer.
  func answer() { _ = unsafe write(word.writing, "\n", 1) }

  func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

  /// Ends it; conversations under way break.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  deinit { for descriptor in [listener, word.reading, word.writing] { close(descriptor) } }

  private func serve() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      state.withLock { state in
        state.connections += 1
        state.waiter?.resume()
        state.waiter = nil
      }
      converse(connection)
      close(connection)
    }
  }

  private func converse(_ connection: Int32) {
    let manner = state.withLock { $0.manner }
    if case .silent = manner {
      _ = readLine(connection)
      return
    }
    if case .refusingAll(let reply) = manner {
      say(connection, reply)
      return
    }
    say(connection, "220 test")
    while let line = readLine(connection) {
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
        let first = readByte(connection)
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

  private func takeText(_ connection: Int32, _ manner: Manner) -> Bool {
    var lines: [String] = []
    while let line = readLine(connection), line != "." {
      if case .closingInText = manner, lines.count == 4 { return false }
      lines.append(line)
    }
    state.withLock { state in
      state.hasText = true
      state.textWaiter?.resume()
      state.textWaiter = nil
    }
    if case .hesitating = manner { _ = readByte(word.reading) }
    if case .refusingText(let reply) = manner {
      say(connection, reply)
      return true
    }
    state.withLock { $0.texts.append(lines.joined(separator: "\n")) }
    if case .closingAfterText = manner { return false }
    say(connection, "250 taken")
    return true
  }

  private func say(_ connection: Int32, _ line: String) {
    let bytes = Array((line + "\r\n").utf8)
    _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  private func readByte(_ connection: Int32) -> UInt8? {
    var byte: UInt8 = 0
    return unsafe read(connection, &byte, 1) == 1 ? byte : nil
  }

  /// A line without its end; nil at the end of the conversation.
  private func readLine(_ connection: Int32) -> String? {
    var bytes: [UInt8] = []
    while let byte = readByte(connection) {
      if byte == 0x0A {
        if bytes.last == 0x0D { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes.append(byte)
    }
    return nil
  }
}
