import assert from 'node:assert/strict'
import type { StartedServer } from '../../../../examples/tour/start-server.ts'

/** Calls the API of a Linchpin as its owner; an error response fails the test. */
export function createApiClient({ url, token }: Pick<StartedServer, 'url' | 'token'>) {
  return async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const responseText = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${responseText}`)
    return JSON.parse(responseText)
  }
}
