import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { main } from '../main.ts'

/** The program, as `npx linchpin-kit` starts it. */
export const CLI_PATH = fileURLToPath(new URL('../../../bin/linchpin-kit.mjs', import.meta.url))

/** The output and the exit code of `linchpin-kit`. */
export interface CliResult {
  readonly out: string
  readonly err: string
  readonly code: number | null
}

/** Runs a command in this process: a start of Node takes longer than most commands. */
export async function runCli(...args: string[]): Promise<CliResult> {
  const result = { out: '', err: '' }
  const output = {
    print(line: string) {
      result.out += `${line}\n`
    },
    printError(line: string) {
      result.err += `${line}\n`
    },
  }
  return { code: await main(args, output, process.env), ...result }
}

/** Runs `linchpin-kit` as a process without a terminal. */
export async function runProgram(...args: string[]): Promise<CliResult> {
  const child = spawn(process.execPath, [CLI_PATH, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = exitCode(child)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { out, err, code }
}

/** A running `linchpin-kit`. */
export interface RunningCli {
  /** Resolves with the first match in past or future output. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>
  /** Stops it like Ctrl-C; resolves with its exit code. */
  stop(): Promise<number | null>
}

/** Starts `linchpin-kit` without waiting for its end. */
export function startCli(...args: string[]): RunningCli {
  const child = spawn(process.execPath, [CLI_PATH, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = exitCode(child)
  let text = ''
  let checkOutput = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
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
        exited.then((code) => reject(new Error(`It exited with ${code}: ${text}`)))
        setTimeout(
          () => reject(new Error(`It did not print ${pattern}: ${text}`)),
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
