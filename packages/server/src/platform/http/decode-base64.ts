import { setImmediate } from 'node:timers/promises'

/**
 * Decodes base64 with padding (RFC 4648 section 4). Lets other work run between pieces of a long text.
 *
 * @returns undefined if the text is anything else, even if a lenient decoder accepts it
 */
export async function decodeBase64(text: string): Promise<Buffer | undefined> {
  const padding = /={0,2}$/.exec(text.slice(-2))?.[0].length ?? 0
  if (text.length % QUANTUM !== 0) return undefined
  const bytes = Buffer.allocUnsafe((text.length / QUANTUM) * 3 - padding)
  let size = 0
  for (let start = 0; start < text.length; start += PIECE) {
    if (start > 0) await setImmediate()
    const piece = text.slice(start, start + PIECE)
    // Node also decodes the alphabet for URLs.
    if (piece.includes('-') || piece.includes('_')) return undefined
    size += bytes.write(piece, size, 'base64')
    // Node ignores what is not base64, and ends at padding.
    if (size !== Math.min((start / QUANTUM) * 3 + (PIECE / QUANTUM) * 3, bytes.length))
      return undefined
  }
  const isCanonical =
    bytes.toString('base64', Math.max(0, size - (3 - padding))) === text.slice(-QUANTUM)
  return isCanonical ? bytes : undefined
}

/** Characters that stand for three bytes. */
const QUANTUM = 4
/** Characters that are decoded in one turn. */
const PIECE = 1024 * 1024
