const most = 65536

/** A Brotli stream that stores its bytes in uncompressed meta-blocks (RFC 7932 section 9.2). */
export function storeBrotli(bytes) {
  // A window of 2^16 is one zero bit; an empty last block follows when there is nothing to store.
  if (bytes.length === 0) return Uint8Array.of(6)
  const parts = []
  for (let at = 0; at < bytes.length; at += most) {
    const part = bytes.subarray(at, at + most)
    const head = (part.length - 1) * 8 + 2 ** 19
    // The first head begins with WBITS, one bit; the others are byte-aligned by the data before them.
    const shifted = at === 0 ? head * 2 : head
    parts.push([shifted & 255, (shifted >> 8) & 255, (shifted >> 16) & 255], part)
  }
  const stored = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 1))
  let offset = 0
  for (const part of parts) {
    stored.set(part, offset)
    offset += part.length
  }
  stored[offset] = 3
  return stored
}
