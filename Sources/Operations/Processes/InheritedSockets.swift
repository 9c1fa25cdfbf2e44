import CLinux

/// The listening sockets of a process, by what is served on them.
package enum SocketName: String, CaseIterable, Sendable {
  /// The gateway's plain port.
  case http
  /// The gateway's port with TLS.
  case https
  /// The address of a service for the other processes.
  case service
  /// The private port of metrics and readiness.
  case metrics
}

/// The listening sockets of one address, for a child.
package struct PassedSocket: Sendable, Equatable {
  /// What is served there.
  package let name: SocketName
  /// One socket, or several that share the address (SO_REUSEPORT).
  package let descriptors: [Int32]

  /// The sockets with this name.
  package init(_ name: SocketName, _ descriptors: [Int32]) {
    self.name = name
    self.descriptors = descriptors
  }
}

/// The listening sockets that this process has received from its starter, by the protocol of
/// systemd (sd_listen_fds(3)): `trackme run` and systemd's socket units pass them alike. The
/// address keeps accepting while processes replace each other on it.
package struct InheritedSockets: Sendable, Equatable {
  /// The number of the first passed descriptor (SD_LISTEN_FDS_START).
  private static let first: Int32 = 3

  private let descriptors: [SocketName: [Int32]]

  /// No sockets: the process opens its own.
  package static let none = InheritedSockets(descriptors: [:])

  private init(descriptors: [SocketName: [Int32]]) { self.descriptors = descriptors }

  /// The sockets described by the environment of the process with this number; none if they are
  /// for another process.
  ///
  /// - Throws: `StartError` for a number or name that is not understood.
  package init(environment: [String: String], process: Int32) throws(StartError) {
    guard let count = environment["LISTEN_FDS"], environment["LISTEN_PID"] == "\(process)" else {
      self = .none
      return
    }
    let names = (environment["LISTEN_FDNAMES"] ?? "").split(
      separator: ":", omittingEmptySubsequences: false)
    guard Int(count) == names.count else {
      throw StartError("LISTEN_FDS is \(count), and LISTEN_FDNAMES does not name as many sockets.")
    }
    var found: [SocketName: [Int32]] = [:]
    for (index, text) in names.enumerated() {
      guard let name = SocketName(rawValue: String(text)) else {
        let known = SocketName.allCases.map(\.rawValue).joined(separator: ", ")
        throw StartError("A passed socket is called \(text): the names are \(known).")
      }
      found[name, default: []].append(Self.first + Int32(index))
    }
    descriptors = found
  }

  /// The sockets of this process; each is made non-blocking and is closed in programs that it
  /// starts. Call it once, at the start.
  ///
  /// - Throws: `StartError` if a descriptor is not a listening socket.
  package static func take(
    _ environment: [String: String] = processEnvironment()
  ) throws(StartError) -> InheritedSockets {
    let sockets = try InheritedSockets(environment: environment, process: getpid())
    for (name, descriptors) in sockets.descriptors {
      for descriptor in descriptors where linux_take_listener(descriptor) == -1 {
        throw StartError("The passed descriptor \(descriptor) (\(name)) is no listening socket.")
      }
    }
    return sockets
  }

  /// The sockets of this name; empty if none were passed.
  package subscript(_ name: SocketName) -> [Int32] { descriptors[name] ?? [] }

  /// The variables that describe sockets with these names to a child. `ProgramOrder` replaces the
  /// digits of LISTEN_PID in the child, which alone knows its number.
  static func variables(_ names: [String]) -> [String: String] {
    [
      "LISTEN_PID": "0000000000", "LISTEN_FDS": "\(names.count)",
      "LISTEN_FDNAMES": names.joined(separator: ":"),
    ]
  }
}
