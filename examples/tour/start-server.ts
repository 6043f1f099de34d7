import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { UnexpectedResult } from './expect-that.ts'

/** A Linchpin in a child process, on a free port, with a temporary data folder. */
export interface StartedServer {
  readonly url: string
  /** The owner's token from the first start. */
  readonly token: string
  /** The file with that token. */
  readonly tokenFile: string
  /** Stops the process with SIGTERM and removes its data. @throws UnexpectedResult unless it exits with 0 within 12 s */
  stop(): Promise<void>
}

/** Which addresses the server may reach, and when to stop waiting for it. */
export interface StartOptions {
  /** Value of `LINCHPIN_EGRESS_ALLOW`. */
  readonly egressAllow: string
  readonly signal: AbortSignal
}

const READY_TIMEOUT_MS = 90_000
const STOP_TIMEOUT_MS = 12_000

/** Starts a Linchpin and waits until it is ready. @throws UnexpectedResult with its last output when it does not start */
export async function startServer(options: StartOptions): Promise<StartedServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'linchpin-tour-'))
  const port = await findFreePort()
  const child = spawn(process.execPath, [MAIN], {
    cwd: dataDir,
    // None of the caller's settings: the tour must not write to the caller's DATABASE_URL.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: String(port),
      LINCHPIN_DATA_DIR: dataDir,
      LINCHPIN_EGRESS_ALLOW: options.egressAllow,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const recentOutput = captureOutput(child)
  const stop = () => stopServer(child, dataDir)
  const url = `http://127.0.0.1:${port}`
  const tokenFile = join(dataDir, 'owner-token')
  try {
    await waitUntilReady(url, child, options.signal)
    return { url, token: (await readFile(tokenFile, 'utf8')).trim(), tokenFile, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw new UnexpectedResult(
      `The server did not start. ${(error as Error).message}\n${recentOutput()}`,
    )
  }
}

const MAIN = fileURLToPath(new URL('../../packages/server/generated/main.mjs', import.meta.url))

async function waitUntilReady(
  url: string,
  child: ChildProcess,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (hasEnded(child)) throw new Error(`It exited with code ${child.exitCode}.`)
    signal.throwIfAborted()
    const ready = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (ready?.ok) return
    await wait(50)
  }
  throw new Error(`It was not ready within ${READY_TIMEOUT_MS / 1_000} s.`)
}

async function stopServer(child: ChildProcess, dataDir: string): Promise<void> {
  try {
    if (hasEnded(child)) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await Promise.race([exited, wait(STOP_TIMEOUT_MS, undefined, { ref: false })])
    if (!hasEnded(child)) {
      child.kill('SIGKILL')
      await exited
    }
    if (child.exitCode !== 0)
      throw new UnexpectedResult('The server did not exit with 0 after SIGTERM.')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function captureOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-4_000)
    })
  }
  // Defense in depth: the output must not contain the token.
  return () => text.replaceAll(/\blp_[0-9A-Za-z]{36}\b/g, 'lp_…').trim()
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (typeof address !== 'object' || !address) throw new UnexpectedResult('There is no free port.')
  return address.port
}
