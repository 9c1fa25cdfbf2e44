import EventLoop
import Foundation
import Operations
import Testing

@Suite("Files of state and secrets")
struct FileTests {
  /// Runs `body` with an empty directory, which is removed afterwards.
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID())")
    defer { try? FileManager.default.removeItem(at: url) }
    try body(url.path)
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test("directories are created with their parents, accessible only to their owner")
  func directories() throws {
    try withDirectory { path in
      let state = StateDirectory(path: "\(path)/deep")
      try state.makeDirectory("keys")
      try state.makeDirectory("keys")
      #expect(try mode(state.file("keys")) == 0o700)
      #expect(try mode(path) == 0o700)
    }
  }

  @Test("a secret is created once, readable only by its owner, and then read")
  func secret() throws {
    try withDirectory { path in
      try FileSystem.makeDirectories(path)
      let file = SecretFile(path: "\(path)/secret")
      #expect(try file.readOrMake { [1, 2, 3] } == [1, 2, 3])
      #expect(try file.readOrMake { [9] } == [1, 2, 3])
      #expect(try mode(file.path) == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["secret"])
    }
  }

  @Test("a file at its limit is read, a byte more is refused")
  func limit() throws {
    try withDirectory { path in
      try FileSystem.makeDirectories(path)
      try FileSystem.writeAtomically("\(path)/f", [UInt8](repeating: 7, count: 20_000))
      #expect(try FileSystem.read("\(path)/f", bytesMax: 20_000).count == 20_000)
      #expect(throws: SystemError.self) {
        try FileSystem.read("\(path)/f", bytesMax: 19_999)
      }
    }
  }

  @Test("a pipe, a device and a directory in the place of a file are refused without waiting")
  func irregular() throws {
    try withDirectory { path in
      try FileSystem.makeDirectories(path)
      let pipe = "\(path)/pipe"
      let made = unsafe mkfifo(pipe, 0o600)
      try #require(made == 0)
      for (file, code) in [(pipe, EINVAL), ("/dev/zero", EINVAL), (path, EISDIR)] {
        let error = #expect(throws: SystemError.self) { try FileSystem.read(file, bytesMax: 100) }
        #expect(error?.code == code)
      }
      try FileManager.default.createSymbolicLink(
        atPath: "\(path)/link", withDestinationPath: "\(path)/f")
      try FileSystem.writeAtomically("\(path)/f", [1])
      #expect(try FileSystem.read("\(path)/link", bytesMax: 1) == [1])
    }
  }

  @Test("the files below a directory are read by their path, without hidden ones")
  func nested() throws {
    try withDirectory { path in
      try FileSystem.makeDirectories("\(path)/a/b")
      for name in ["x", "a/y", "a/b/z", ".hidden"] {
        try FileSystem.writeAtomically("\(path)/\(name)", Array(name.utf8))
      }
      let files = try FileSystem.files(below: path, bytesMax: 10)
      #expect(Set(files.keys) == ["x", "a/y", "a/b/z"])
      for (name, bytes) in files { #expect(bytes == Array(name.utf8)) }
      try FileManager.default.createSymbolicLink(
        atPath: "\(path)/a/loop", withDestinationPath: path)
      #expect(throws: SystemError.self) { try FileSystem.files(below: path, bytesMax: 10) }
      #expect(throws: SystemError.self) { try FileSystem.files(below: path, bytesMax: 1) }
    }
  }

  @Test("a missing file is distinguished from an unreadable one")
  func missing() throws {
    #expect(try readSettingsFile("/nowhere/at/all") == nil)
    #expect(throws: SystemError.self) { try readSettingsFile("/proc/self") }
  }
}
