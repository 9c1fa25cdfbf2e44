import Installation
import Operations
import PublicAPI

/// `trackme-lab types`: prints the TypeScript declarations of the API, against which the web pages
/// are checked. `make pages` writes them to `Sources/WebApp/Client/types.d.ts`.
enum TypesCommand {
  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      try Commands.refuse(arguments)
      Terminal.say(String(TypeScript().declarations().dropLast()))
    }
  }
}
