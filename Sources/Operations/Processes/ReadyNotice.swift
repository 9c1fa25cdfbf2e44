import CLinux

/// The message by which a process tells its starter that it is ready (sd_notify(3)): a datagram to
/// the socket that `NOTIFY_SOCKET` names.
package enum ReadyNotice {
  /// The variable that names the socket; a name that begins with `@` is abstract.
  package static let variable = "NOTIFY_SOCKET"

  /// Tells that this process is ready. Without the variable, or without a listener, it does
  /// nothing.
  package static func send(_ environment: [String: String] = processEnvironment()) {
    guard let path = environment[variable] else { return }
    // SAFETY: the text is passed as a C string for the call.
    let descriptor = unsafe linux_unix_connect(path, Int32(SOCK_DGRAM.rawValue))
    guard descriptor >= 0 else { return }
    let bytes = Array(text(of: getpid()).utf8)
    // SAFETY: the buffer is valid for the call, with its own size.
    _ = unsafe bytes.withUnsafeBytes { buffer in
      unsafe CLinux.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
    }
    close(descriptor)
  }

  /// The message of a process.
  package static func text(of process: Int32) -> String { "READY=1\nMAINPID=\(process)" }

  /// The process whose message this is; nil for another message.
  package static func process(in text: String) -> Int32? {
    let lines = text.split(separator: "\n")
    guard lines.contains("READY=1") else { return nil }
    return lines.first { $0.hasPrefix("MAINPID=") }.flatMap { Int32($0.dropFirst(8)) }
  }
}
