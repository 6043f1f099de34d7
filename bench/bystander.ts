import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { type ClientRequest, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { measure } from './measure.ts'
import { measuredOperations } from './operations.ts'
import type { BenchmarkedService } from './subject.ts'

/** How long requests to /health/live took beside the work of others, in milliseconds. */
export interface BystanderWait {
  readonly name: string
  readonly medianMs: number
  readonly p99Ms: number
  readonly maxMs: number
}

const PAUSE_MS = 5
const SECONDS = 3

/**
 * Measures a bystander: alone, beside a list of all accounts, beside eight checks, and on SQLite beside a backup, which
 * runs in another process, as docs/operating.md says, while a checked account is created now and then.
 */
export async function measureBystander(subject: BenchmarkedService): Promise<BystanderWait[]> {
  const check = measuredOperations(subject).find(({ name }) => name === 'check')
  const { requests = [] } = (await check?.prepare()) ?? {}
  const { service, file, fullLinkId, manyWorkspacesToken } = subject
  const { url, pid } = service
  const headers = { authorization: `Bearer ${subject.token}` }
  return [
    await poll(url, 'alone', () => sleep(SECONDS * 1_000)),
    await poll(url, 'one list of all accounts', () => load(url, '/integration_account', headers)),
    await poll(url, 'a link with a twentieth of all accounts', () =>
      loadOften(url, `/link/${fullLinkId}`, headers),
    ),
    await poll(url, 'a user with 10,000 workspaces', () =>
      loadOften(url, '/user', { authorization: `Bearer ${manyWorkspacesToken}` }),
    ),
    await poll(url, 'eight checks', () =>
      measure({
        url,
        pid,
        requests,
        headers,
        connections: 8,
        seconds: SECONDS,
      }),
    ),
    ...(file === undefined ? [] : [await poll(url, 'a backup', () => backUp(subject, file))]),
  ]
}

/** Commits go on: while the backup reads, they stay in the write-ahead log. */
async function backUp({ service, credentials }: BenchmarkedService, file: string): Promise<void> {
  const backup = `${file}.backup`
  const script = `new (require('node:sqlite').DatabaseSync)('${file}').exec("VACUUM INTO '${backup}'")`
  let isRunning = true
  const finished = promisify(execFile)(process.execPath, ['-e', script]).finally(() => {
    isRunning = false
  })
  const account = { ...credentials, integrationAccountName: 'During the backup' }
  while (isRunning) {
    await service.call('POST', '/v1/integration_account', account)
    await sleep(COMMIT_PAUSE_MS)
  }
  await finished
  await rm(backup)
}

const COMMIT_PAUSE_MS = 100

async function poll(
  url: string,
  name: string,
  work: () => Promise<unknown>,
): Promise<BystanderWait> {
  const durations: number[] = []
  let isWorking = true
  const finished = work().finally(() => {
    isWorking = false
  })
  while (isWorking) {
    const startedAt = performance.now()
    await read(get(`${url}/health/live`))
    durations.push(performance.now() - startedAt)
    await sleep(PAUSE_MS)
  }
  await finished
  durations.sort((a, b) => a - b)
  const at = (part: number) => durations[Math.floor(durations.length * part)] ?? Number.NaN
  return { name, medianMs: at(0.5), p99Ms: at(0.99), maxMs: durations.at(-1) ?? Number.NaN }
}

async function loadOften(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<void> {
  for (let count = 0; count < LOADS; count += 1) await load(url, path, headers)
}

const LOADS = 20

function load(url: string, path: string, headers: Record<string, string>): Promise<void> {
  return read(get(`${url}/api/v1${path}`, { headers }))
}

function read(request: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => {
      response.resume().once('end', resolve).once('error', reject)
    })
  })
}
