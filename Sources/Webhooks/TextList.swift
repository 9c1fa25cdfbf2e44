// SAFETY of the whole file: only the object creates and frees the list, which grows only during
// `init`; libcurl copies each text into it (curl_slist_append(3)).
import CCurl

/// A list of lines for libcurl, complete or not created at all.
@safe package final class TextList {
  /// The first node; nil for an empty list.
  let first: UnsafeMutablePointer<curl_slist>?

  /// A list of these lines; nil if memory for one of them is exhausted, which tests simulate with
  /// `hasMemory`.
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

  /// The lines as libcurl sees them.
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
