import AutomatedSOS
import Domain
import Postgres

/// The language of messages to other people about an emergency.
package typealias EmergencyLanguage = Language
