// ServiceKit: the parts that all services share. Routes come from the endpoints of PublicAPI; a
// request is accepted only with the internal secret and names its caller in the gateway's fields;
// payloads are read from JSON with errors that name the necessary change; failures of the database
// become errors of the application; effects with an Idempotency-Key run once.
