import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The program, as `npx linchpin-kit` runs it. */
export const CLI_PATH = fileURLToPath(new URL('../../../bin/linchpin-kit.mjs', import.meta.url))

/** What a run of `linchpin-kit` said, and its exit code. */
export interface CliResult {
  readonly out: string
  readonly err: string
  readonly code: number | null
}

/** Runs `linchpin-kit` as a process of its own, with nobody to ask. */
export async function runCli(...args: string[]): Promise<CliResult> {
  const child = spawn(process.execPath, [CLI_PATH, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = exitCode(child)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { out, err, code }
}

/** A run of `linchpin-kit` that goes on. */
export interface RunningCli {
  /** The first match in what it has said or will say. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>
  /** Ends it as Ctrl-C does; its exit code. */
  stop(): Promise<number | null>
}

/** Starts `linchpin-kit` without waiting for its end. */
export function startCli(...args: string[]): RunningCli {
  const child = spawn(process.execPath, [CLI_PATH, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = exitCode(child)
  let text = ''
  let checkOutput = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more
      checkOutput()
    })
  }
  return {
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        checkOutput = () => {
          const match = pattern.exec(text)
          if (match) resolve(match)
        }
        checkOutput()
        exited.then((code) => reject(new Error(`It ended with ${code}: ${text}`)))
        setTimeout(
          () => reject(new Error(`It did not say ${pattern}: ${text}`)),
          OUTPUT_TIMEOUT_MS,
        ).unref()
      }),
    stop() {
      child.kill('SIGINT')
      return exited
    },
  }
}

const OUTPUT_TIMEOUT_MS = 120_000

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('close', resolve))
}
