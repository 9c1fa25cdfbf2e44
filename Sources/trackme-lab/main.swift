import Foundation
import Installation

// The equipment for tests and development, which production does without: simulators, load
// generators, the broker for trying payments, demo data, the table of requirements. The first
// argument names the command, the rest is for the command.
let arguments = Array(CommandLine.arguments.dropFirst())

let code = Commands.lab.run(arguments)
// As in the operator's tool, `_exit` skips the handlers of exit(3), whose freed memory ending loops
// would use.
_exit(code)
