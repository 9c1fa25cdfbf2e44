// Services: what every service of ours is made of. Routes come from the endpoints of PublicAPI; a
// request is taken only with the internal secret and names who calls by the gateway's fields;
// payloads are read from JSON with errors that say what to change; failures of the database become
// problems; effects with an Idempotency-Key happen once.
