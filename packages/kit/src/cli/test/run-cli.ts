import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The program, as `npx linchpin-kit` runs it. */
export const bin = fileURLToPath(new URL('../../../bin/linchpin-kit.mjs', import.meta.url))

/** What a run of `linchpin-kit` said, and its exit code. */
export interface Ran {
  readonly out: string
  readonly err: string
  readonly code: number | null
}

/** Runs `linchpin-kit` as a process of its own, with nobody to ask. */
export async function runCli(...args: string[]): Promise<Ran> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = exitCode(child)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { out, err, code }
}

/** A run of `linchpin-kit` that goes on. */
export interface Running {
  /** The first match in what it has said or will say. */
  said(words: RegExp): Promise<RegExpExecArray>
  /** Ends it as Ctrl-C does; its exit code. */
  stop(): Promise<number | null>
}

/** Starts `linchpin-kit` without waiting for its end. */
export function startCli(...args: string[]): Running {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = exitCode(child)
  let text = ''
  let look = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more
      look()
    })
  }
  return {
    said: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          const match = words.exec(text)
          if (match) resolve(match)
        }
        look()
        ended.then((code) => reject(new Error(`It ended with ${code}: ${text}`)))
        setTimeout(
          () => reject(new Error(`It did not say ${words}: ${text}`)),
          SAID_WITHIN_MS,
        ).unref()
      }),
    stop() {
      child.kill('SIGINT')
      return ended
    },
  }
}

const SAID_WITHIN_MS = 120_000

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('close', resolve))
}
