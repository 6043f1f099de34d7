import { readFile } from 'node:fs/promises'
import type { Io } from './io.ts'
import { UsageError } from './usage-error.ts'

/**
 * A secret from a file, `@FILE`, or from standard input, `-`: on a terminal, a prompt that hides what is typed. Arguments are
 * visible to other processes and stay in the history of the shell.
 *
 * @throws UsageError for a value on the command line, without repeating it
 */
export async function readSecret(option: string, value: string, io: Io): Promise<string> {
  if (value === '-') return readHidden(`${option}: `, io)
  if (value.startsWith('@') && value.length > 1) return readText(option, value.slice(1))
  throw new UsageError(
    `${option} is a secret, and arguments are visible to others: use ${option} @FILE, or ${option} - for standard input or a prompt.`,
  )
}

/** A file as text, without the line break at its end. @throws UsageError */
export async function readText(option: string, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } catch {
    throw new UsageError(`${option}: the file cannot be read.`)
  }
}

/** Standard input as text; on a terminal, one line that is not shown. */
export async function readHidden(prompt: string, io: Io): Promise<string> {
  const { stdin, stderr, signal } = io
  if (!stdin.isTTY) {
    const chunks: Buffer[] = []
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/\r?\n$/, '')
  }
  stderr.write(prompt)
  stdin.setRawMode?.(true)
  try {
    return await readHiddenLine(stdin, signal)
  } finally {
    stdin.setRawMode?.(false)
    stdin.pause()
    stderr.write('\n')
  }
}

function readHiddenLine(stdin: Io['stdin'], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (settle: () => void) => {
      stdin.off('data', onData)
      stdin.off('end', onEnd)
      settle()
    }
    const onEnd = () => end(() => resolve(typed))
    const onData = (chunk: Buffer | string) => {
      for (const character of chunk.toString()) {
        if (character === '\r' || character === '\n' || character === '\u0004') return onEnd()
        // In raw mode, Ctrl-C is a character.
        if (character === '\u0003')
          return end(() => reject(new DOMException('Interrupted.', 'AbortError')))
        typed = /[\b\u007f]/.test(character) ? [...typed].slice(0, -1).join('') : typed + character
      }
    }
    stdin.on('data', onData)
    stdin.on('end', onEnd)
    signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true })
  })
}
