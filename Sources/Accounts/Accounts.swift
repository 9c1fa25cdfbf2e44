// The accounts of single users and third parties: registration, activation, login and lost
// passwords, profiles and their settings, consents, paired devices, API keys, and the notices to
// both sides. Each folder has its routes, its rules about the database and its statements. Requests
// arrive with the `Identity` of their caller (`ServiceKit`), so no handler reads a token.
