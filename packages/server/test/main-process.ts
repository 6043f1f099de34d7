import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programEnvironment, programPath } from './program-environment.ts'

/** A process of the service that has exited, and its output. */
export interface ProcessResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A service that listens. */
export interface MainProcess {
  readonly url: string
  /** Its standard output so far. */
  stdout(): string
  /** Sends SIGTERM and resolves when the process has exited. */
  stop(): Promise<ProcessResult>
}

type Environment = Readonly<Record<string, string>>

/** Creates an empty folder, which is removed at the end of the process. */
export async function createDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'linchpin-start-'))
  process.once('beforeExit', () => void rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a service that must not begin to listen, and waits until it exits. */
export function runMainToExit(env: Environment): Promise<ProcessResult> {
  return launch('main', [], env).ended
}

/** Starts a service, and sends it a signal at a moment before it listens. */
export function signalDuringStart(
  env: Environment,
  signal: NodeJS.Signals,
  moment: Promise<unknown>,
): Promise<ProcessResult> {
  const { child, ended } = launch('main', [], env)
  void moment.then(() => child.kill(signal))
  return ended
}

/** Runs the command line and waits until it exits. */
export function runCli(args: readonly string[], env: Environment): Promise<ProcessResult> {
  return launch('cli', args, env).ended
}

/**
 * Starts a service on a free port and waits until it listens; it is stopped after the test at the latest.
 *
 * @throws when it exits instead
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
      throw new Error(`exited with ${code}: ${stderr}`)
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
