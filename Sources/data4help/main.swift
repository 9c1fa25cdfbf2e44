// The service of accounts, health data and requests.

import Data4Help
import Operations

ServiceProcess.run(.data4help, Data4HelpService.assemble)
