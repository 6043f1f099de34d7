import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programEnvironment, programPath } from './program-environment.ts'

/** A process of ours that ended, and all that it wrote. */
export interface ProcessResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A service that listens. */
export interface MainProcess {
  readonly url: string
  /** What it wrote on standard output so far. */
  stdout(): string
  /** SIGTERM, until it is gone. */
  stop(): Promise<ProcessResult>
}

type Environment = Readonly<Record<string, string>>

/** An empty folder of its own, removed at the end of the process. */
export async function createDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'linchpin-start-'))
  process.once('beforeExit', () => void rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a service that must not get to listen, and waits until it ends. */
export function runMainToExit(env: Environment): Promise<ProcessResult> {
  return launch('main', [], env).ended
}

/** Runs the command line until it ends. */
export function runCli(args: readonly string[], env: Environment): Promise<ProcessResult> {
  return launch('cli', args, env).ended
}

/**
 * Starts a service on a free port and waits for its line; it ends with the test at the latest.
 *
 * @throws when it ends instead
 */
export async function startMain(
  t: { after(fn: () => unknown): void },
  env: Environment,
): Promise<MainProcess> {
  const { child, ended: exited, stdout } = launch('main', [], { PORT: '0', ...env })
  t.after(() => child.kill('SIGKILL'))
  const url = await Promise.race([
    waitUntilListening(child.stdout, stdout),
    exited.then(({ code, stderr }) => {
      throw new Error(`ended with ${code}: ${stderr}`)
    }),
  ])
  return {
    url,
    stdout,
    stop() {
      child.kill('SIGTERM')
      return exited
    },
  }
}

function launch(program: 'main' | 'cli', args: readonly string[], env: Environment) {
  const child = spawn(process.execPath, [programPath(program), ...args], {
    env: { ...programEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  const exited = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  return { child, ended: exited, stdout: () => output.stdout }
}

async function waitUntilListening(
  stream: NodeJS.ReadableStream,
  stdout: () => string,
): Promise<string> {
  for (;;) {
    const found = /Linchpin listens on (http:[^"\s]+)/.exec(stdout())?.[1]
    if (found !== undefined) return found
    await once(stream, 'data')
  }
}
