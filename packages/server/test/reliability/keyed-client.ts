import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceSetup } from './service-process.ts'

/** A request with its idempotency key. */
export interface KeyedRequest {
  readonly key: string
  readonly path: string
  readonly body: unknown
}

/** A client that sends a request until it succeeds, to any node, as one that loses responses. */
export interface KeyedClient {
  send(request: KeyedRequest): Promise<{ readonly text: string }>
  /** Resolves when this many requests have succeeded. */
  waitForResponses(count: number): Promise<void>
  retries(): number
  /** Responses with `Idempotent-Replayed`. */
  replays(): number
  /** The longest time for which a key has answered nothing but `idempotency_in_progress`. */
  longestStuckMs(): number
}

/** Concurrent requests; the others wait. */
const MAX_CONCURRENT = 24
const WAIT_MS = 100
/** A busy machine lets checks time out. These had no effect, so their keys are free. */
const TEMPORARY = new Set([409, 502, 503, 504])

export function createKeyedClient(
  nodes: readonly Pick<ServiceSetup, 'port' | 'token'>[],
): KeyedClient {
  let succeeded = 0
  let retries = 0
  let replays = 0
  let longestStuckMs = 0
  let active = 0

  async function attempt(request: KeyedRequest): Promise<Response | undefined> {
    const node = nodes[Math.floor(Math.random() * nodes.length)]
    assert.ok(node)
    return fetch(`http://127.0.0.1:${node.port}/api${request.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${node.token}`,
        'content-type': 'application/json',
        'idempotency-key': request.key,
      },
      body: JSON.stringify(request.body),
    }).catch(() => undefined)
  }

  async function sendUntilSuccessful(request: KeyedRequest): Promise<{ text: string }> {
    let stuckSince: number | undefined
    for (;;) {
      const response = await attempt(request)
      const text = await response?.text().catch(() => undefined)
      if (response?.status === 201 && text !== undefined) {
        if (response.headers.has('idempotent-replayed')) replays += 1
        return { text }
      }
      if (response?.status !== 409) stuckSince = undefined
      else {
        assert.equal(JSON.parse(text ?? '').error, 'idempotency_in_progress')
        stuckSince ??= performance.now()
        longestStuckMs = Math.max(longestStuckMs, Math.round(performance.now() - stuckSince))
      }
      assert.ok(response === undefined || TEMPORARY.has(response.status), text)
      retries += 1
      await sleep(WAIT_MS)
    }
  }

  return {
    async send(request) {
      while (active >= MAX_CONCURRENT) await sleep(WAIT_MS * Math.random())
      active += 1
      try {
        return await sendUntilSuccessful(request)
      } finally {
        active -= 1
        succeeded += 1
      }
    },
    async waitForResponses(count) {
      while (succeeded < count) await sleep(5)
    },
    retries: () => retries,
    replays: () => replays,
    longestStuckMs: () => longestStuckMs,
  }
}
