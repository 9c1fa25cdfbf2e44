// Images: the pictures of runs as bytes. QR codes, drawings as PNG, and uploaded pictures, which
// are stripped of all metadata. Independent of HTTP and the database.
