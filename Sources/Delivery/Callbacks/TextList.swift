// SAFETY of the whole file: the list is made and freed by its object alone, and grows only before
// it is there; libcurl copies each text into it (curl_slist_append(3)).
import CCurl

/// Lines for libcurl, whole or not at all.
@safe package final class TextList {
  /// Its first line; nil if there is none.
  let first: UnsafeMutablePointer<curl_slist>?

  /// A list of these lines; nil if there is no memory for one of them, as tests may say of any.
  package init?(_ lines: [String], hasMemory: (String) -> Bool = { _ in true }) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard hasMemory(line), let longer = unsafe curl_slist_append(list, line) else {
        unsafe curl_slist_free_all(list)
        return nil
      }
      unsafe list = longer
    }
    unsafe first = list
  }

  deinit { unsafe curl_slist_free_all(first) }

  /// Its lines, as libcurl sees them.
  package var lines: [String] {
    var lines: [String] = []
    var next = unsafe first
    while let line = unsafe next {
      if let text = unsafe line.pointee.data { unsafe lines.append(String(cString: text)) }
      unsafe next = line.pointee.next
    }
    return lines
  }
}
