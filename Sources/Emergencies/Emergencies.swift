// AutomatedSOS on the server: uploads of monitored people are examined as they arrive, an emergency
// becomes a row whose stages end by conditional updates, hospitals and contacts are called, and a
// replica continues alone while the database is unavailable.
