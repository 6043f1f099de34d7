import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { SelfSignedCert } from '../src/connect/oauth-flow/test/create-self-signed-cert.ts'
import { findFreePort } from './free-port.ts'

/** A real PostgreSQL server in a temporary folder, on a free port of 127.0.0.1. */
export interface TestPostgres {
  readonly url: string
  /** Creates an empty database, or a copy of `template`, and returns its URL. */
  createDatabase(name: string, template?: string): Promise<string>
  /** Ends the server without a checkpoint, as a crash would: the next start recovers. */
  kill(): Promise<void>
  /** Starts it again on the same folder and port; resolves when it accepts connections. */
  restart(): Promise<void>
  /** Ends the server and removes the folder. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Whether commits survive a crash of the machine (default). Tests that crash nothing run faster without it. */
  readonly isDurable?: boolean
  /** The server accepts TLS with this certificate. */
  readonly tls?: SelfSignedCert
  /** The URL of a primary: the server is its streaming standby, under the name `standby`. */
  readonly standbyOf?: string
}

/** Whether Debian's PostgreSQL programs are installed. */
export function postgresAvailable(): boolean {
  return findPrograms() !== undefined
}

/** Starts a server on a fresh cluster. @throws Error when PostgreSQL is not installed or does not start */
export async function startPostgres({
  isDurable = true,
  standbyOf,
  tls,
}: PostgresOptions = {}): Promise<TestPostgres> {
  const programs = findPrograms()
  if (programs === undefined) throw new Error('PostgreSQL not found')
  const folder = mkdtempSync(join(tmpdir(), 'linchpin-postgres-'))
  const owner = getDataOwner(folder)
  const data = join(folder, 'data')
  if (standbyOf === undefined) copyCluster(programs, data, owner)
  else copyPrimary(programs, data, owner, standbyOf)
  const port = await findFreePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const settings = [
    'deadlock_timeout=100ms',
    ...(isDurable ? [] : NOT_DURABLE),
    ...(tls === undefined ? [] : writeCertificate(folder, owner, tls)),
  ]
  const address = ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', folder]
  const args = [...address, ...settings.flatMap((setting) => ['-c', setting])]
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
  // A test process that is killed must not leave a server running.
  const killAtExit = () => server.kill('SIGQUIT')
  process.once('exit', killAtExit)
  return {
    url,
    createDatabase: async (name, template = 'template1') => {
      await runQuery(url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
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

const NOT_DURABLE = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'max_connections=200',
]
const INSTALLED = '/usr/lib/postgresql'
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/postgres/', import.meta.url))

function findPrograms(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined
  return readdirSync(INSTALLED)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')))
}

interface DataOwner {
  readonly uid?: number
  readonly gid?: number
}

/** Returns the settings of a server with this certificate. */
function writeCertificate(
  folder: string,
  owner: DataOwner,
  { key, cert }: SelfSignedCert,
): string[] {
  for (const [name, text] of [
    ['server.key', key],
    ['server.crt', cert],
  ] as const) {
    const file = join(folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    if (owner.uid !== undefined) chownSync(file, owner.uid, owner.gid ?? 0)
  }
  return ['ssl=on', `ssl_cert_file=${folder}/server.crt`, `ssl_key_file=${folder}/server.key`]
}

/** PostgreSQL refuses to run as root: there, the user that Debian's package creates owns the cluster. */
function getDataOwner(folder: string): DataOwner {
  if (process.getuid?.() !== 0) return {}
  const uid = Number(execFileSync('id', ['-u', 'postgres']))
  const gid = Number(execFileSync('id', ['-g', 'postgres']))
  chownSync(folder, uid, gid)
  chmodSync(folder, 0o700)
  return { uid, gid }
}

/** `initdb` takes about a second of CPU time, a copy of its result a twentieth: it runs once for each version. */
function copyCluster(programs: string, data: string, owner: DataOwner): void {
  const version = execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' })
  const template = join(CACHE, version.trim().replace(/[^\w.]+/g, '-'))
  if (!existsSync(template)) initializeTemplate(programs, data, owner, template)
  rmSync(data, { recursive: true, force: true })
  execFileSync('cp', ['-a', template, data])
  // A node_modules folder that was copied by root belongs to root.
  if (owner.uid !== undefined) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, data])
}

function copyPrimary(programs: string, data: string, owner: DataOwner, primaryUrl: string): void {
  const source = `${primaryUrl}?application_name=standby`
  const args = ['-D', data, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
  execFileSync(join(programs, 'pg_basebackup'), args, { cwd: join(data, '..'), ...owner })
}

function initializeTemplate(
  programs: string,
  data: string,
  owner: DataOwner,
  template: string,
): void {
  const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  const args = ['-D', data, ...flags, '--no-sync', '--wal-segsize=1']
  execFileSync(join(programs, 'initdb'), args, { stdio: 'ignore', cwd: join(data, '..'), ...owner })
  mkdirSync(CACHE, { recursive: true })
  const copy = mkdtempSync(join(CACHE, 'new-'))
  execFileSync('cp', ['-a', data, join(copy, 'data')])
  try {
    renameSync(join(copy, 'data'), template)
  } catch (error) {
    // Another process has created it in the meantime.
    if (!existsSync(template)) throw error
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

// Far longer than a start takes: a busy machine is not what is tested.
const READY_TIMEOUT_MS = 120_000

async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL exited with ${server.exitCode}`)
    try {
      return await runQuery(url, 'SELECT 1')
    } catch {
      await sleep(25)
    }
  }
  throw new Error('PostgreSQL does not respond')
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
