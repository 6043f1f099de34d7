/** Base64 of a text's UTF-8 bytes. */
export function encodeBase64(value: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(value)))
}
