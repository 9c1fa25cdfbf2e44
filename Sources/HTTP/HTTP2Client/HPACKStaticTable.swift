/// The static table of HPACK (RFC 7541, appendix A), with indices 1 to 61.
///
/// The functions compile to tables in read-only memory, so that no look-up waits for an
/// initialisation.
package enum HPACKStaticTable {
  /// The number of entries.
  package static let count = 61

  /// Indices of names that pseudo-header fields of requests use.
  static let authority = 1
  static let method = 2
  static let path = 4
  static let scheme = 6
  /// The indices of the entries `:status`.
  static let status = 8...14

  /// The name of an entry, in lower case; empty outside the table.
  package static func name(_ index: Int) -> StaticString {
    if let known = known(index) { return known.text }
    return switch index {
    case 1: ":authority"
    case 2...3: ":method"
    case 4...5: ":path"
    case 6...7: ":scheme"
    case 8...14: ":status"
    case 15: "accept-charset"
    case 18: "accept-ranges"
    case 29: "content-location"
    case 37: "from"
    case 42: "if-range"
    case 43: "if-unmodified-since"
    case 47: "max-forwards"
    case 52: "refresh"
    default: ""
    }
  }

  /// The value of an entry; empty for most.
  package static func value(_ index: Int) -> StaticString {
    switch index {
    case 2: "GET"
    case 3: "POST"
    case 4: "/"
    case 5: "/index.html"
    case 6: "http"
    case 7: "https"
    case 8: "200"
    case 9: "204"
    case 10: "206"
    case 11: "304"
    case 12: "400"
    case 13: "404"
    case 14: "500"
    case 16: "gzip, deflate"
    default: ""
    }
  }

  /// The entry of a status, or 0.
  static func index(ofStatus code: UInt16) -> Int {
    switch code {
    case 200: 8
    case 204: 9
    case 206: 10
    case 304: 11
    case 400: 12
    case 404: 13
    case 500: 14
    default: 0
    }
  }

  /// The well-known name of an entry, or nil.
  static func known(_ index: Int) -> FieldName? {
    switch index {
    case 16: .acceptEncoding
    case 17: .acceptLanguage
    case 19: .accept
    case 20: .accessControlAllowOrigin
    case 21: .age
    case 22: .allow
    case 23: .authorization
    case 24: .cacheControl
    case 25: .contentDisposition
    case 26: .contentEncoding
    case 27: .contentLanguage
    case 28: .contentLength
    case 30: .contentRange
    case 31: .contentType
    case 32: .cookie
    case 33: .date
    case 34: .etag
    case 35: .expect
    case 36: .expires
    case 38: .host
    case 39: .ifMatch
    case 40: .ifModifiedSince
    case 41: .ifNoneMatch
    case 44: .lastModified
    case 45: .link
    case 46: .location
    case 48: .proxyAuthenticate
    case 49: .proxyAuthorization
    case 50: .range
    case 51: .referer
    case 53: .retryAfter
    case 54: .server
    case 55: .setCookie
    case 56: .strictTransportSecurity
    case 57: .transferEncoding
    case 58: .userAgent
    case 59: .vary
    case 60: .via
    case 61: .wwwAuthenticate
    default: nil
    }
  }

  /// The index of an entry with this name; 0 if there is none.
  static func index(of name: FieldName) -> Int {
    switch name {
    case .acceptEncoding: 16
    case .acceptLanguage: 17
    case .accept: 19
    case .accessControlAllowOrigin: 20
    case .age: 21
    case .allow: 22
    case .authorization: 23
    case .cacheControl: 24
    case .contentDisposition: 25
    case .contentEncoding: 26
    case .contentLanguage: 27
    case .contentLength: 28
    case .contentRange: 30
    case .contentType: 31
    case .cookie: 32
    case .date: 33
    case .etag: 34
    case .expect: 35
    case .expires: 36
    case .host: 38
    case .ifMatch: 39
    case .ifModifiedSince: 40
    case .ifNoneMatch: 41
    case .lastModified: 44
    case .link: 45
    case .location: 46
    case .proxyAuthenticate: 48
    case .proxyAuthorization: 49
    case .range: 50
    case .referer: 51
    case .retryAfter: 53
    case .server: 54
    case .setCookie: 55
    case .strictTransportSecurity: 56
    case .transferEncoding: 57
    case .userAgent: 58
    case .vary: 59
    case .via: 60
    case .wwwAuthenticate: 61
    default: 0
    }
  }
}
