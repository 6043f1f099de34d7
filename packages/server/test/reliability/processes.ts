import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyBody } from '../any-body.ts'
import type { ServiceProcess } from './service-process.ts'

/** A response, with its text. */
export interface ProcessResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: AnyBody
  readonly text: string
}

/** One process of a service, with a connection of its own. */
export interface Connection {
  readonly pid: number
  /** Retries while the process is overloaded, because tests must pass on a busy machine. */
  call(
    method: string,
    path: string,
    options?: { token?: string; body?: unknown; idempotencyKey?: string },
  ): Promise<ProcessResponse>
  close(): void
}

/** The IDs of the worker processes. Any process may end meanwhile. */
export function listWorkers({ pid }: Pick<ServiceProcess, 'pid'>): number[] {
  const tasks = orIfEnded([], () => readdirSync(`/proc/${pid}/task`))
  const children = tasks.flatMap((task) =>
    readProcess(`${pid}/task/${task}/children`).split(' ').filter(Boolean),
  )
  return children
    .map(Number)
    .filter((child) => /\/worker\.\w+/.test(readProcess(`${child}/cmdline`)))
}

/** Whether a process runs. */
export function isRunning(pid: number): boolean {
  const status = readProcess(`${pid}/status`)
  return status !== '' && !/^State:\s+[ZX]/m.test(status)
}

/** Kills a process, unless it has ended. */
export function killIfRunning(pid: number): void {
  orIfEnded(true, () => process.kill(pid, 'SIGKILL'))
}

/** Text about a process; empty if it has ended. */
function readProcess(path: string): string {
  return orIfEnded('', () => readFileSync(`/proc/${path}`, 'utf8'))
}

function orIfEnded<T>(fallback: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ENOENT' || code === 'ESRCH') return fallback
    throw error
  }
}

/** Opens a connection to the main process and one to each worker: while it connects, the others are stopped. */
export async function connectToEach(
  service: Pick<ServiceProcess, 'pid' | 'url'>,
  token: string,
): Promise<Connection[]> {
  const pids = [service.pid, ...listWorkers(service)]
  const connections: Connection[] = []
  for (const pid of pids) {
    const others = pids.filter((other) => other !== pid)
    for (const other of others) process.kill(other, 'SIGSTOP')
    try {
      const connection = createConnection(service.url, pid)
      await connection.call('GET', '/api/v1/user', { token })
      connections.push(connection)
    } finally {
      for (const other of others) process.kill(other, 'SIGCONT')
    }
  }
  return connections
}

/** Waits until a condition holds. @throws after a minute */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not in time: ${condition}`)
    await sleep(20)
  }
}

function createConnection(url: string, pid: number): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send: Connection['call'] = (method, path, { token, body, idempotencyKey } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<ProcessResponse>()
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const outgoing = request(`${url}${path}`, { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0 } = response
        const isJson = String(response.headers['content-type']).includes('json')
        const parsed = isJson ? JSON.parse(text) : undefined
        resolve({ status, headers: response.headers, body: parsed, text })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    return promise
  }
  return {
    pid,
    async call(...args) {
      for (;;) {
        const response = await send(...args)
        if (response.body?.error !== 'overloaded') return response
        await sleep(500)
      }
    },
    close: () => agent.destroy(),
  }
}
