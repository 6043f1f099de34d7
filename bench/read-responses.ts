/** Parses the responses on a connection; calls back with each status after its last byte, by length or in chunks. */
export function readResponses(onResponse: (status: number) => void): (chunk: Buffer) => void {
  let status = 0
  /** Remaining bytes of the body; undefined while reading the head. */
  let remaining: number | undefined
  let buffered: Buffer = EMPTY

  return (chunk) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
    if (remaining === undefined) {
      const end = buffered.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = buffered.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      remaining = status === NOT_MODIFIED ? 0 : Number(LENGTH.exec(head)?.[1] ?? CHUNKED)
      buffered = buffered.subarray(end + 4)
    }
    const isDone = remaining === CHUNKED ? isLastChunk(buffered) : buffered.length >= remaining
    // The last five bytes of a chunked response indicate its end.
    if (!isDone) {
      if (remaining === CHUNKED) buffered = Buffer.from(buffered.subarray(-LAST_CHUNK.length))
      else remaining -= buffered.length
      if (remaining !== CHUNKED) buffered = EMPTY
      return
    }
    remaining = undefined
    buffered = EMPTY
    onResponse(status)
  }
}

const EMPTY = Buffer.alloc(0)
const LENGTH = /\r\ncontent-length: (\d+)/i
const CHUNKED = -1
/** Has no body, whatever its headers say. */
const NOT_MODIFIED = 304
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

function isLastChunk(bytes: Buffer): boolean {
  return bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
}
