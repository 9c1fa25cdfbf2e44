import HTTP
import Web

/// The fields of every response with a page or a file of it, which restrict what the browser lets
/// it do.
enum PageFields {
  /// Everything from this origin alone, nothing inline, and no text that becomes markup or code
  /// except through the one policy `trackme`.
  private static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
    "connect-src 'self'", "font-src 'self'", "manifest-src 'self'", "worker-src 'self'",
    "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types trackme",
  ].joined(separator: "; ")

  /// Position for runs and emergencies, the camera for QR codes, nothing else.
  private static let permissionsPolicy = [
    "geolocation=(self)", "camera=(self)", "accelerometer=()",
    "display-capture=()", "gyroscope=()", "hid=()", "magnetometer=()", "microphone=()", "midi=()",
    "payment=()", "serial=()", "usb=()", "xr-spatial-tracking=()",
  ].joined(separator: ", ")

  /// The fields.
  static let all: HTTPFields = {
    var fields = HTTPFields()
    fields.append(.contentSecurityPolicy, contentSecurityPolicy)
    fields.append("permissions-policy", permissionsPolicy)
    fields.append(.referrerPolicy, "same-origin")
    fields.append("cross-origin-opener-policy", "same-origin")
    fields.append("cross-origin-resource-policy", "same-origin")
    return fields
  }()
}
