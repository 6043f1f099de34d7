import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** How long a pipe may take. */
export interface ReadSettingFileOptions {
  readonly timeoutMs?: number
}

/**
 * Reads the file of a setting: at most 1 MiB of a regular file, or of a pipe that is written within 10 seconds, such as
 * `<(command)`.
 *
 * @throws Error whose message completes "NAME: …"
 */
export function readSettingFile(file: string, options: ReadSettingFileOptions = {}): string {
  try {
    // A pipe without a writer would wait in open(2), where no signal is handled.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      return readDescriptor(descriptor, file, options).toString('utf8')
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new Error(`cannot read the file: ${error.message}`)
  }
}

const MAX_BYTES = 1_048_576
const TIMEOUT_MS = 10_000
const RETRY_MS = 20

function readDescriptor(
  descriptor: number,
  file: string,
  { timeoutMs = TIMEOUT_MS }: ReadSettingFileOptions,
): Buffer {
  const stats = fstatSync(descriptor)
  const isPipe = stats.isFIFO()
  if (!isPipe && !stats.isFile()) throw new Error(`${file} is neither a file nor a pipe.`)
  const bytes = Buffer.allocUnsafe(MAX_BYTES + 1)
  const deadline = performance.now() + timeoutMs
  let length = 0
  while (length <= MAX_BYTES) {
    const count = readAvailable(descriptor, bytes, length)
    length += count ?? 0
    if (count === 0 && (!isPipe || length > 0)) return bytes.subarray(0, length)
    if (count !== undefined && count > 0) continue
    if (performance.now() > deadline)
      throw new Error(`the pipe ${file} was not written within ${timeoutMs / 1_000} seconds.`)
    // Nothing else runs while the settings are read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
  }
  throw new Error(`${file} has more than ${MAX_BYTES} bytes.`)
}

/** Undefined for a pipe whose writer has written nothing yet; 0 at the end, and for a pipe without a writer. */
function readAvailable(descriptor: number, bytes: Buffer, offset: number): number | undefined {
  try {
    return readSync(descriptor, bytes, offset, bytes.length - offset, null)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined
    throw error
  }
}
