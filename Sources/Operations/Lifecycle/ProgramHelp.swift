/// The answers of a program about itself, which need no settings.
package enum ProgramHelp {
  /// The version of TrackMe: the newest one in CHANGELOG.md.
  package static let version = "0.1.0"
  /// The argument that prints the version.
  package static let versionFlag = "--version"
}
