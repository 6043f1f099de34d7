/** Tells the status of each answer on a connection once its last byte is there: by its length, or in chunks. */
export function readAnswers(done: (status: number) => void): (chunk: Buffer) => void {
  let status = 0
  /** Bytes of the body that are still to come; undefined while the head is. */
  let left: number | undefined
  let held: Buffer = EMPTY

  return (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    if (left === undefined) {
      const end = held.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = held.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      left = Number(LENGTH.exec(head)?.[1] ?? CHUNKED)
      held = held.subarray(end + 4)
    }
    const isDone = left === CHUNKED ? endsChunks(held) : held.length >= left
    // A chunked answer ends with its last five bytes: nothing before them is needed.
    if (!isDone) {
      if (left === CHUNKED) held = Buffer.from(held.subarray(-LAST_CHUNK.length))
      else left -= held.length
      if (left !== CHUNKED) held = EMPTY
      return
    }
    left = undefined
    held = EMPTY
    done(status)
  }
}

const EMPTY = Buffer.alloc(0)
const LENGTH = /\r\ncontent-length: (\d+)/i
const CHUNKED = -1
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

function endsChunks(bytes: Buffer): boolean {
  return bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
}
