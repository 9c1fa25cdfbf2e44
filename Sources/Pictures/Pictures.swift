// Pictures: what is shown of runs, as bytes: QR codes, drawings as PNG, and the pictures that
// people send, of which nothing but the picture is kept. No HTTP, no database.
