import EventLoop
import JSON
import Operations

/// Why the web pages cannot be served, for the operator.
package struct WebPagesError: Error, Equatable, LogSafe {
  /// The sentence.
  package let logText: String

  init(_ sentence: String) { logText = sentence }

  static func missing(_ name: String) -> WebPagesError {
    WebPagesError("The web pages have no file \(name).")
  }

  static func malformed(_ path: String, _ error: JSONError) -> WebPagesError {
    WebPagesError("The file \(path) of the web pages is malformed: \(error.description)")
  }
}

extension WebPages {
  /// The places of Debian's libraries, whose files appear below `libraries`.
  private static let vendors = [
    "leaflet": "/usr/share/javascript/leaflet", "chart.js": "/usr/share/javascript/chart.js",
  ]
  private static let fileBytesMax = 4 * 1024 * 1024

  /// The directory of the pages for a program: in the source tree if it was built there, otherwise
  /// `share/trackme/pages` beside the `bin` directory of the installation; nil if there is none.
  package static func directory(from programs: String) -> String? {
    var directory = programs[...]
    while true {
      for name in ["Sources/WebApp", "share/trackme/pages"] {
        let candidate = "\(directory)/\(name)"
        if FileSystem.exists("\(candidate)/\(shellName)") { return candidate }
      }
      guard let slash = directory.lastIndex(of: "/") else { return nil }
      directory = directory[..<slash]
    }
  }

  /// Reads the pages of a directory, and the libraries that are installed.
  ///
  /// - Throws: `WebPagesError` if the directory cannot be read or holds no pages.
  package static func read(
    from directory: String, settings: PageSettings = PageSettings(), log: Log
  ) throws(WebPagesError) -> WebPages {
    var files: [String: [UInt8]]
    do throws(SystemError) {
      files = try FileSystem.files(below: directory, bytesMax: fileBytesMax)
    } catch {
      throw WebPagesError("The web pages in \(directory) cannot be read (\(error.description)).")
    }
    for (name, place) in vendors {
      do throws(SystemError) {
        for (path, bytes) in try FileSystem.files(below: place, bytesMax: fileBytesMax) {
          files["\(libraries)/\(name)/\(path)"] = bytes
        }
      } catch {
        log.failure(
          "read library of the web pages failed", error, level: .warning,
          .safe("library", OperatorText(name)))
      }
    }
    return try WebPages(files, settings: settings)
  }
}
