import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from './free-port.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

/** A pooler in front of a PostgreSQL server of tests. */
export interface TestPooler {
  /** The URL of a database through the pooler. */
  toPoolerUrl(databaseUrl: string): string
  stop(): Promise<void>
}

/** Starts Debian's pgbouncer, which by default gives each transaction another of 20 connections to the server. */
export async function startPgbouncer(
  serverUrl: string,
  mode: 'transaction' | 'session' = 'transaction',
): Promise<TestPooler> {
  const folder = mkdtempSync(join(tmpdir(), 'linchpin-pgbouncer-'))
  const port = await findFreePort()
  const file = join(folder, 'pgbouncer.ini')
  const server = new URL(serverUrl)
  writeFileSync(file, writeConfiguration(server.port, port, mode))
  chmodSync(folder, 0o755)
  // It refuses to run as root, like PostgreSQL.
  const user =
    process.getuid?.() === 0 ? { uid: Number(execFileSync('id', ['-u', 'postgres'])) } : {}
  const child = spawn(PROGRAM, ['-q', file], { stdio: 'ignore', ...user })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const toPoolerUrl = (databaseUrl: string) => {
    const url = new URL(databaseUrl)
    url.port = String(port)
    return url.href
  }
  await waitUntilReady(toPoolerUrl(serverUrl))
  return {
    toPoolerUrl,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      process.off('exit', killAtExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function writeConfiguration(serverPort: string, port: number, mode: string): string {
  return [
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    'default_pool_size = 20',
    'max_client_conn = 500',
  ].join('\n')
}

async function waitUntilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (attempt === 400) throw error
      await sleep(25)
    }
  }
}
