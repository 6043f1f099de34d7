/** The type of a picture by its first bytes, whatever it was called: only those that can hold no script. */
export function imageType(
  bytes: Uint8Array,
): 'image/jpeg' | 'image/png' | 'image/webp' | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  return /^RIFF[\s\S]{4}WEBP/.test(head) ? 'image/webp' : undefined
}
