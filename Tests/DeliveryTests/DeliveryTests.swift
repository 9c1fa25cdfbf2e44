import Requirements
import Testing
