import assert from 'node:assert/strict'
import type { StartedServer } from '../../../../examples/tour/start-server.ts'

/** Calls the API of a Linchpin as its owner; an answer that is no success fails the test. */
export function apiCaller({ url, token }: Pick<StartedServer, 'url' | 'token'>) {
  return async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const said = await answer.text()
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${said}`)
    return JSON.parse(said)
  }
}
