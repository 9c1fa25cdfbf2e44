import CLinux

/// The variables of this process's environment; for a repeated name, the first entry counts.
package func processEnvironment() -> [String: String] {
  var variables: [String: String] = [:]
  // SAFETY: `environ` ends with a null pointer and holds C strings; nothing here changes it, and
  // it is read before other threads are started.
  guard var entry = unsafe linux_environment() else { return variables }
  while let text = unsafe entry.pointee {
    let words = unsafe String(cString: text)
    if let equals = words.firstIndex(of: "="), equals != words.startIndex {
      let name = String(words[..<equals])
      variables[name] = variables[name] ?? String(words[words.index(after: equals)...])
    }
    unsafe entry += 1
  }
  return variables
}

/// The directory of this process's program, without links; nil if the system does not report it.
package func programDirectory() -> String? {
  var text = [CChar](repeating: 0, count: 4096)
  // SAFETY: writes at most the size of `text`, which is passed with it.
  let count = unsafe readlink("/proc/self/exe", &text, text.count)
  guard count > 0, count < text.count else { return nil }
  let path = String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return path.lastIndex(of: "/").map { String(path[..<$0]) }
}
