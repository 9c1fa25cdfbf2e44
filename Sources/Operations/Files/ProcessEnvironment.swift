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
