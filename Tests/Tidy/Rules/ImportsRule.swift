/// Imports only point downwards: a target imports its dependencies in `Package.swift`, their
/// dependencies, and the few modules of the toolchain that its layer may use.
enum ImportsRule {
  /// The tools and their modules. Other products must not use any form of Foundation.
  static let withFoundation: Set = ["Installation", "OperatorTool", "trackme", "trackme-lab"]
  /// The modules of each C library, whose types and errors stay within them.
  static let modulesOfLibraries: [String: Set<String>] = [
    "CArgon2": ["Cryptography"], "CCurl": ["Mail", "Webhooks"], "CExpat": ["XML"],
    "CNghttp2": ["HTTP"], "COpenSSL": ["Cryptography", "HTTP"], "CPostgres": ["Postgres"],
    "CQRencode": ["Images"], "CZlib": ["Images", "WebApp", "Zip"],
  ]
  /// Modules that use the Swift standard library only, and each other.
  static let languageOnly: Set = ["Bytes", "Time", "Domain", "AutomatedSOS"]
  static let foundation: Set = ["Foundation", "FoundationEssentials", "FoundationNetworking"]
  static let toolchain: Set = ["Glibc", "Synchronization"]
  static let forTests: Set = ["Testing"]

  static func findings(in file: SourceFile, table: PackageTable) -> [Finding] {
    guard let module = file.module, table.imports[module] != nil else { return [] }
    let allowed = allowedImports(of: module, isTest: file.isTest, table: table)
    return file.code.enumerated().compactMap { index, line in
      guard let name = importedModule(line), !allowed.contains(name) else { return nil }
      return file.finding(index, "\(module) may not import \(name): see docs/architecture.md")
    }
  }

  static func allowedImports(of module: String, isTest: Bool, table: PackageTable) -> Set<String> {
    // In an import, an underscore replaces the hyphen of a target's name.
    var allowed = Set(table.reachable(from: module).map { $0.replacing("-", with: "_") })
    if !languageOnly.contains(module) { allowed.formUnion(toolchain) }
    if isTest { return allowed.union(foundation).union(forTests) }
    if withFoundation.contains(module) { allowed.formUnion(foundation) }
    return allowed.filter { modulesOfLibraries[$0]?.contains(module) ?? true }
  }

  private static func importedModule(_ line: String) -> String? {
    guard line.has("import ") else { return nil }
    let statement =
      /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s+(?:\w+\s+(?=\w+\.))?(\w+)/
    return line.firstMatch(of: statement).map { String($0.1) }
  }
}
