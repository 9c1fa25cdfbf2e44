// The health data of single users: samples are uploaded or imported, stored as sealed blocks, read
// by their owner, aggregated into statistics, and erased. An `UploadObserver` examines uploads
// before they are stored; this module does not know its purpose.
