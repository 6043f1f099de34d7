import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A real PostgreSQL server of its own, with fsync on as always, in a temporary folder on 127.0.0.1. */
export interface TestPostgres {
  readonly url: string
  /** Makes an empty database beside the first and answers its URL. */
  createDatabase(name: string): Promise<string>
  /** Ends the server at once, without a checkpoint, as a crash would: the next start recovers. */
  kill(): Promise<void>
  /** Starts it again on the same folder and port; resolves when it answers. */
  restart(): Promise<void>
  /** Ends the server and removes the folder. */
  stop(): Promise<void>
}

/**
 * Runs tests against a server of their own, which starts before them and ends after. Without PostgreSQL
 * a test says that they are left out, or fails where CI=true.
 */
export function describePostgres(
  title: string,
  define: (server: () => TestPostgres) => void,
): void {
  describe(title, () => {
    if (!postgresAvailable()) {
      it('says that PostgreSQL was not found', (t) => {
        t.diagnostic('PostgreSQL not found: its half is left out')
        assert.notEqual(process.env.CI, 'true', 'PostgreSQL not found, and CI=true requires it')
      })
      return
    }
    let server: TestPostgres | undefined
    before(async () => {
      server = await startPostgres()
    })
    after(() => server?.stop())
    define(() => {
      assert.ok(server, 'The server is there only while tests run')
      return server
    })
  })
}

/** Whether Debian's PostgreSQL programs are on this machine. */
export function postgresAvailable(): boolean {
  return findPrograms() !== undefined
}

/** Makes a cluster and starts it. @throws when there are no PostgreSQL programs, or none that start */
export async function startPostgres(): Promise<TestPostgres> {
  const programs = findPrograms()
  if (programs === undefined) throw new Error('PostgreSQL not found')
  const folder = mkdtempSync(join(tmpdir(), 'linchpin-postgres-'))
  const owner = getDataOwner(folder)
  const data = join(folder, 'data')
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  execFileSync(join(programs, 'initdb'), initdb, { stdio: 'ignore', cwd: folder, ...owner })
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const args = [
    '-D',
    data,
    '-p',
    `${port}`,
    '-h',
    '127.0.0.1',
    '-k',
    folder,

    '-c',
    'deadlock_timeout=100ms',
  ]
  const start = async () => {
    const server = spawn(join(programs, 'postgres'), args, {
      stdio: 'ignore',
      cwd: folder,
      ...owner,
    })
    await waitUntilReady(url, server)
    return server
  }
  let server = await start()
  // A test that dies must not leave a server behind.
  const killAtExit = () => server.kill('SIGQUIT')
  process.once('exit', killAtExit)
  return {
    url,
    createDatabase: async (name) => {
      await runQuery(url, `CREATE DATABASE ${name}`)
      return url.replace(/postgres$/, name)
    },
    kill: () => terminate(server),
    restart: async () => {
      server = await start()
    },
    stop: async () => {
      await terminate(server)
      process.off('exit', killAtExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const INSTALLED = '/usr/lib/postgresql'

function findPrograms(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined
  return readdirSync(INSTALLED)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')))
}

/** PostgreSQL refuses to run as root: there, the user that Debian's package made owns the cluster. */
function getDataOwner(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const uid = Number(execFileSync('id', ['-u', 'postgres']))
  const gid = Number(execFileSync('id', ['-g', 'postgres']))
  chownSync(folder, uid, gid)
  chmodSync(folder, 0o700)
  return { uid, gid }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`)
    try {
      return await runQuery(url, 'SELECT 1')
    } catch {
      await sleep(25)
    }
  }
  throw new Error('PostgreSQL does not answer')
}

async function runQuery(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sql)
  } finally {
    await client.end().catch(() => {})
  }
}

/** SIGQUIT: PostgreSQL's immediate shutdown, children included. */
async function terminate(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill('SIGQUIT')
  await exited
}
