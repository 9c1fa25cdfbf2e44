import Bytes
import EventLoop
import Operations
import Synchronization

/// Aborts acknowledged while the database could not store them, synchronised to disk before the
/// acknowledgement: a restarted process makes no call for these emergencies (decision 0024). One
/// per process; from any thread.
///
/// The directory has a numbered file for each running process. A process locks the first free file
/// and takes over the records of processes that have ended.
package final class AbortJournal: Sendable {
  /// The most bytes of a file: twice as many aborts as a process holds emergencies.
  static let bytesMax = 4 << 20
  /// The most processes that write to one directory.
  private static let filesMax = 64

  private struct State {
    var file: JournalFile?
    /// Aborts that the database does not have yet.
    var records: [UniversalID: AbortRecord] = [:]
  }

  private let directory: String
  private let bytesMax: Int
  private let log: Log
  private let writer: JournalFile.Writer
  private let pool: BlockingPool
  private let state = Mutex(State())

  /// A journal in this directory, which is created with the first file; opens no file yet.
  ///
  /// - Throws: `SystemError` when the system refuses a thread.
  package init(
    directory: String, bytesMax: Int = AbortJournal.bytesMax, log: Log = .none,
    writer: @escaping JournalFile.Writer = FileSystem.write(_:to:)
  ) throws(SystemError) {
    self.directory = directory
    self.bytesMax = bytesMax
    self.log = log
    self.writer = writer
    pool = try BlockingPool(name: "aborts", threads: 1, queueMax: 10_000)
  }

  /// Aborts that the database does not have yet.
  package var records: [AbortRecord] { state.withLock { Array($0.records.values) } }

  /// Takes over the records of ended processes and returns them. Blocks: call it at start only.
  ///
  /// A file of an ended process that can't be taken over is logged and left for the next start: the
  /// records of the other files still count.
  ///
  /// - Throws: `SystemError` when no file can be opened for this process.
  package func recover() throws(SystemError) -> [AbortRecord] {
    try locked { (state) throws(SystemError) in
      try open(&state)
      for number in 1...Self.filesMax {
        do throws(SystemError) { try takeOver(path(number), &state) } catch {
          log.failure("take over abort journal failed", error, .number("file", number))
        }
      }
      do throws(SystemError) { try compact(&state) } catch {
        log.failure("compact abort journal failed", error)
      }
      return Array(state.records.values)
    }
  }

  /// Appends an abort durably.
  ///
  /// - Throws: `SystemError` if it cannot be written or the journal is full; the journal then does
  ///   not contain it.
  package func add(_ record: AbortRecord) async throws(SystemError) {
    let outcome: Result<Void, SystemError>
    do throws(BlockingPoolError) {
      outcome = try await pool.run { [self] () throws(SystemError) in try write(record) }
    } catch {
      throw SystemError(call: "write", code: Self.full)
    }
    try outcome.get()
  }

  /// Removes an abort that is stored or whose account is deleted. Returns at once.
  package func remove(_ id: UniversalID) {
    _ = pool.submit { [self] in erase(id) }
  }

  /// Releases the file to the next process.
  package func close() {
    state.withLock { state in
      state.file?.close()
      state = State()
    }
  }

  // MARK: On the thread

  /// `ENOSPC`.
  private static let full: Int32 = 28

  private func path(_ number: Int) -> String { "\(directory)/\(number)" }

  /// `withLock` with typed errors.
  private func locked<Value: Sendable>(
    _ work: (inout State) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    let outcome = state.withLock { (state) -> Result<Value, SystemError> in
      do throws(SystemError) { return .success(try work(&state)) } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private func open(_ state: inout State) throws(SystemError) {
    guard state.file == nil else { return }
    try FileSystem.makeDirectories(directory)
    for number in 1...Self.filesMax where state.file == nil {
      state.file = try JournalFile(path(number), isMade: true, writer: writer)
      guard let file = state.file else { continue }
      do throws(SystemError) { try read(file, &state) } catch {
        log.failure("read abort journal failed", error, .number("file", number))
        file.close()
        state.file = nil
      }
    }
    guard state.file != nil else { throw SystemError(call: "open", code: Self.full) }
  }

  private func read(_ file: JournalFile, _ state: inout State) throws(SystemError) {
    let text = String(decoding: try file.read(bytesMax: 2 * bytesMax), as: UTF8.self)
    for line in text.split(separator: "\n") {
      switch AbortLine(line) {
      case .aborted(let record): state.records[record.id] = record
      case .stored(let id): state.records[id] = nil
      case nil: continue
      }
    }
  }

  /// Takes over the file of an ended process: its records are on disk here before it is emptied.
  private func takeOver(_ path: String, _ state: inout State) throws(SystemError) {
    guard FileSystem.exists(path),
      var file = try JournalFile(path, isMade: false, writer: writer)
    else { return }
    defer { file.close() }
    guard file.size > 0 else { return }
    try read(file, &state)
    try compact(&state)
    try file.clear()
  }

  /// Rewrites the file without stored aborts.
  private func compact(_ state: inout State) throws(SystemError) {
    let bytes = state.records.values.flatMap { AbortLine.aborted($0).bytes }
    if bytes.isEmpty { return try state.file?.clear() ?? () }
    try state.file?.replace(with: bytes)
  }

  private func write(_ record: AbortRecord) throws(SystemError) {
    let line = AbortLine.aborted(record).bytes
    try locked { (state) throws(SystemError) in
      try open(&state)
      if let file = state.file, file.size + line.count > bytesMax {
        try compact(&state)
        guard let file = state.file, file.size + line.count <= bytesMax else {
          throw SystemError(call: "write", code: Self.full)
        }
      }
      try state.file?.append(line, isDurable: true)
      state.records[record.id] = record
    }
  }

  /// A failed write is logged and harmless: the abort is then stored again after a restart.
  private func erase(_ id: UniversalID) {
    state.withLock { state in
      guard state.records.removeValue(forKey: id) != nil else { return }
      do throws(SystemError) {
        if state.records.isEmpty {
          try state.file?.clear()
        } else {
          try state.file?.append(AbortLine.stored(id).bytes, isDurable: false)
        }
      } catch {
        log.failure(
          "remove abort from journal failed", error, level: .warning, .safe("emergency", id))
      }
    }
  }
}
