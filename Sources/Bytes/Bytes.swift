// Bytes: forms of bytes and numbers that every other module may use: identifiers of 128 bits
// (UUID), hexadecimal and Base64 text, numbers in network byte order and in decimal digits, and a
// mixer of bits for shares and reproducible random numbers. It uses the Swift standard library only
// and keeps no state; what is unpredictable comes from Cryptography or from an Environment.
