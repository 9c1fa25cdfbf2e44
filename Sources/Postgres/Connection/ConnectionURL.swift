import CPostgres

/// A connection URL as parameters of libpq, separately for each of its hosts.
///
/// libpq itself asks the hosts of a URL in order, within the time of one attempt: a host that
/// accepts the connection and never answers would take all of it.
enum ConnectionURL {
  typealias Parameter = (name: String, value: String)

  private static let namesPerHost: Set<String> = ["host", "hostaddr", "port"]

  /// The parameters for each host, at least one list. A URL that libpq rejects is passed on
  /// unchanged, so that connecting reports the reason.
  static func parameters(of url: String) -> [[Parameter]] {
    // SAFETY: the options end with one without a name, and their texts are copied before all of
    // them are freed.
    guard let options = unsafe PQconninfoParse(url, nil) else { return [[("dbname", url)]] }
    defer { unsafe PQconninfoFree(options) }
    var shared: [Parameter] = []
    var lists: [(name: String, values: [Substring])] = []
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        let name = unsafe String(cString: keyword)
        let text = unsafe String(cString: value)
        if namesPerHost.contains(name) {
          lists.append((name, text.split(separator: ",", omittingEmptySubsequences: false)))
        } else {
          shared.append((name, text))
        }
      }
      unsafe option += 1
    }
    let count = lists.map { $0.values.count }.max() ?? 1
    // A list of one port is that of all hosts. libpq takes an empty value for a missing one.
    return (0..<count).map { place in
      shared
        + lists.map { (name: $0.name, value: String($0.values[min(place, $0.values.count - 1)])) }
    }
  }
}
