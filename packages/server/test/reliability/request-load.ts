import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyBody } from '../any-body.ts'

/** How long a request took, and when it was sent, in milliseconds of `performance.now()`. */
export interface RequestTime {
  readonly at: number
  readonly ms: number
}

/** A request of the load. */
export interface LoadRequest {
  /** Its operationId. */
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Behind /api, such as `/v1/link`. */
  readonly path: string
  readonly body?: object
  /** The requests that follow a successful one, with its response. */
  readonly then?: (response: AnyBody) => readonly LoadRequest[]
}

const GET_USER: LoadRequest = { operation: 'getUser', method: 'GET', path: '/v1/user' }
const THREE_READS_AND_A_WRITE: readonly LoadRequest[] = [
  ...[GET_USER, GET_USER, GET_USER],
  { operation: 'createLink', method: 'POST', path: '/v1/link', body: { linkName: 'link' } },
]

/** Clients that send one request after the other, all of them in turn. */
export function startRequestLoad(
  url: string,
  token: string,
  clients: number,
  requests = THREE_READS_AND_A_WRITE,
) {
  const failures: string[] = []
  const times: RequestTime[] = []
  const sentOf = new Map<string, number>()
  let isStopping = false
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const send = async ({ operation, method, path, body, then }: LoadRequest): Promise<void> => {
    sentOf.set(operation, (sentOf.get(operation) ?? 0) + 1)
    const at = performance.now()
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const { status, text } = await fetch(`${url}/api${path}`, { ...init, headers }).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      (error) => ({ status: 0, text: String(error.cause ?? error) }),
    )
    times.push({ at, ms: performance.now() - at })
    const isOk = status === 200 || status === 201
    if (!isOk) failures.push(`${operation}: ${status} ${text.slice(0, 200)}`)
    await sleep(5)
    for (const next of (isOk && then?.(JSON.parse(text))) || []) await send(next)
  }
  const runClient = async (_: unknown, client: number) => {
    for (let turn = Math.floor((client * requests.length) / clients); !isStopping; turn += 1) {
      const request = requests[turn % requests.length]
      if (request !== undefined) await send(request)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, runClient))
  return {
    async stop() {
      isStopping = true
      await running
      return { sent: times.length, sentOf: Object.fromEntries(sentOf), failures, times }
    },
  }
}

/** The failures of each operation. */
export function countFailures(failures: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const failure of failures) {
    const operation = failure.slice(0, failure.indexOf(':'))
    counts.set(operation, (counts.get(operation) ?? 0) + 1)
  }
  return Object.fromEntries(counts)
}
