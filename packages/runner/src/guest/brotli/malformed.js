/** The error of Node's zlib for a Brotli stream that it cannot decode. */
export function malformed(message = 'Decompression failed') {
  const code = message === 'unexpected end of file' ? 'Z_BUF_ERROR' : 'ERR__ERROR_FORMAT'
  return Object.assign(new Error(message), { code, errno: -5 })
}
