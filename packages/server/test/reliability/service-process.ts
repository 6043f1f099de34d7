import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateAccessToken } from '../../src/access/auth/access-token.ts'
import type { AnyBody } from '../any-body.ts'
import { findFreePort } from '../free-port.ts'
import { programEnvironment, programPath } from '../program-environment.ts'

/** The data folder and port of a service, with which it can be restarted. */
export interface ServiceSetup {
  readonly port: number
  readonly dataDir: string
  /** The owner's token. */
  readonly token: string
  readonly keys: string
  /** PostgreSQL instead of the embedded database. */
  readonly databaseUrl?: string | undefined
  /** Another version of the service. Default: this one. */
  readonly program?: string | undefined
  /** Flags of node itself. */
  readonly nodeArgs?: readonly string[] | undefined
  /** A program that runs the service, and its arguments. Then `child` is this program. */
  readonly wrapper?: readonly string[] | undefined
  /** Additional settings. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** Removes the data folder. */
  remove(): Promise<void>
}

/** A response with its parsed body. */
export interface ServiceResponse {
  readonly status: number
  readonly body: AnyBody
  readonly headers: Headers
}

/** A real service in a separate process, over real HTTP. */
export interface ServiceProcess {
  readonly url: string
  readonly pid: number
  readonly child: ChildProcess
  /** Time from the spawn to the first response of `/health/ready`, in milliseconds. */
  readonly readyAfterMs: number
  /**
   * `path` starts behind /api, such as `/v1/link`. Retries while the service is overloaded, because tests must pass on
   * a busy machine. Rejects when the connection breaks.
   */
  call(method: string, path: string, body?: unknown, token?: string): Promise<ServiceResponse>
  /** As `call`, but sends it once. */
  send(method: string, path: string, body?: unknown, token?: string): Promise<ServiceResponse>
  /** SIGKILL. Resolves when the process has exited. */
  kill(): Promise<void>
  /** Sends SIGTERM. Resolves to the exit code. */
  stop(): Promise<number | null>
  /** The end of its output. */
  recentOutput(): string
}

const MAIN = programPath('main')
// Far longer than a start takes, because tests must pass on a busy machine.
const READY_TIMEOUT_MS = 120_000
const OVERLOADED_TIMEOUT_MS = 300_000

/** Selects a free port, and creates an empty data folder unless one is passed. */
export async function createServiceSetup(
  options: Partial<ServiceSetup> = {},
): Promise<ServiceSetup> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'linchpin-service-')))
  return {
    port: await findFreePort(),
    dataDir,
    token: generateAccessToken(),
    keys: `one:${Buffer.alloc(32, 1).toString('base64')}`,
    // A runner child whose service was killed may still write an image.
    remove: () => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }),
    ...options,
  }
}

/** Starts a service and waits until it is ready. @throws an error with its last output when it does not become ready */
export async function startService(setup: ServiceSetup): Promise<ServiceProcess> {
  const startedAt = performance.now()
  const [command = '', ...args] = [
    ...(setup.wrapper ?? []),
    ...[process.execPath, ...(setup.nodeArgs ?? []), setup.program ?? MAIN],
  ]
  const child = spawn(command, args, {
    cwd: setup.dataDir,
    env: toProcessEnvironment(setup),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test that is killed must not leave a service running.
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  const recentOutput = captureOutput(child)
  const url = `http://127.0.0.1:${setup.port}`
  try {
    await waitUntilReady(url, child)
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`The service did not start: ${(error as Error).message}\n${recentOutput()}`)
  }
  return {
    url,
    pid: child.pid ?? 0,
    child,
    readyAfterMs: performance.now() - startedAt,
    recentOutput,
    call: (method, path, body, token = setup.token) =>
      callUntilAccepted(() => call(url, method, path, body, token)),
    send: (method, path, body, token = setup.token) => call(url, method, path, body, token),
    async kill() {
      await terminate(child, 'SIGKILL')
    },
    stop: () => terminate(child, 'SIGTERM'),
  }
}

function toProcessEnvironment(setup: ServiceSetup): Record<string, string> {
  return {
    ...programEnvironment(),
    PORT: String(setup.port),
    LINCHPIN_DATA_DIR: setup.dataDir,
    LINCHPIN_TOKEN: setup.token,
    LINCHPIN_KEYS: setup.keys,
    LINCHPIN_EGRESS_ALLOW: '127.0.0.0/8',
    ...(setup.databaseUrl === undefined ? {} : { DATABASE_URL: setup.databaseUrl }),
    ...setup.settings,
  }
}

async function call(
  url: string,
  method: string,
  path: string,
  body: unknown,
  token: string,
): Promise<ServiceResponse> {
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text), headers: response.headers }
}

async function callUntilAccepted(send: () => Promise<ServiceResponse>): Promise<ServiceResponse> {
  const deadline = Date.now() + OVERLOADED_TIMEOUT_MS
  for (;;) {
    const response = await send()
    if (response.body?.error !== 'overloaded' || Date.now() > deadline) return response
    await sleep(500)
  }
}

async function terminate(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return child.exitCode
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`)
    const ready = await fetch(`${url}/health/ready`).catch(() => undefined)
    await ready?.text()
    if (ready?.ok) return
    await sleep(20)
  }
  throw new Error('it was not ready in time')
}

function captureOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-4_000)
    })
  return () => text
}
