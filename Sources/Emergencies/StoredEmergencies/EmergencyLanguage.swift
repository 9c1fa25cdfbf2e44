import AutomatedSOS
import Domain
import EventLoop
import Postgres

/// The language of messages to other people about an emergency.
package typealias EmergencyLanguage = Language
