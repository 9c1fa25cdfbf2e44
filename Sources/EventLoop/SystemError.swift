import CLinux

/// A failed system call with its `errno`.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The name of the call, such as `bind`.
  package let call: String
  /// The value of `errno` after it.
  package let code: Int32

  /// The failure of `call` with `code`.
  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// The failure of `call` with the current `errno`.
  package static func last(_ call: String) -> SystemError {
    SystemError(call: call, code: linux_errno())
  }

  /// Returns the result of a call, or throws if it is -1.
  @discardableResult
  package static func check(_ call: String, _ result: Int32) throws(SystemError) -> Int32 {
    if result == -1 { throw .last(call) }
    return result
  }

  /// The call and the reason, such as `bind: Address already in use`.
  package var description: String {
    var text = [CChar](repeating: 0, count: 256)
    // SAFETY: the buffer's size is passed with it; the call terminates the text with a NUL.
    let isKnown = unsafe strerror_r(code, &text, text.count) == 0
    guard isKnown else { return "\(call): error \(code)" }
    let reason = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return "\(call): \(String(decoding: reason, as: UTF8.self))"
  }
}
