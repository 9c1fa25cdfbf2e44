// InternalAPI: what the services tell each other over internal HTTP. It has the paths, the bodies
// with their readers and writers, the client of the calls and the client of the stream of events;
// both services compile the same types, so that neither can misread the other.
