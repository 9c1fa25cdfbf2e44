import EventLoop
import Installation
import Operations

/// `trackme-lab bench registered`: registers people and one company through the public API with
/// complete profiles, which `bench accounts` omits. Prints the company's token, then those of the
/// people, one per line.
enum BenchRegistered {
  static func run(_ arguments: [String]) throws(StartError) {
    guard arguments.count == 3, arguments[1] == "--tokens", let count = Int(arguments[0]),
      (1...SimulatedPeople.runnersMax).contains(count)
    else { throw StartError(BenchCommand.usage) }
    let (installation, _) = try Installation.read([], commandFlags: [])
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "bench") } catch {
      throw StartError("The registration failed", error)
    }
    defer { loop.stop() }
    let result = Pending<Result<[String], StartError>>()
    loop.begin {
      do throws(StartError) {
        let gateway = try LocalGateway(
          installation, on: loop, failure: "The registration failed")
        defer { gateway.shutDown() }
        let accounts =
          [SimulatedPeople.organiser(1)] + (0..<count).map { SimulatedPeople.runner($0) }
        var tokens: [String] = []
        for account in accounts {
          tokens.append(
            try await gateway.logIn(account.login, registering: account.registration))
        }
        result.resolve(.success(tokens))
      } catch {
        result.resolve(.failure(error))
      }
    }
    let tokens = try result.wait().get()
    do throws(SystemError) {
      try FileSystem.writeAtomically(arguments[2], Array(tokens.joined(separator: "\n").utf8))
    } catch {
      throw StartError("\(arguments[2]) can't be written", error)
    }
  }
}
