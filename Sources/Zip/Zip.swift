// Zip: reading and writing zip files in pieces (APPNOTE 6.3.10), in memory that does not grow with
// the file. The reader extracts the wanted entries of a hostile zip within limits on names, sizes
// and expansion; the writer deflates entries front to back. zlib inflates and deflates.
