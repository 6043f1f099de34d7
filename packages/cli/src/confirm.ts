import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Io } from './io.ts'

/** Asks a question that `y` or `yes` agrees to. Without a terminal, the answer is no. */
export async function confirm(question: string, { stdin, stderr, signal }: Io): Promise<boolean> {
  if (!stdin.isTTY) return false
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      stderr.write(String(chunk))
      done()
    },
  })
  const lines = createInterface({ input: stdin, output })
  try {
    return /^y(?:es)?$/i.test((await lines.question(question, { signal })).trim())
  } finally {
    lines.close()
  }
}
