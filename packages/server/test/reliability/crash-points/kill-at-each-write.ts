import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Provider } from '../../../../../examples/provider/provider.ts'
import { defineDesk } from '../desk-provider.ts'
import { type ServiceProcess, type ServiceSetup, startService } from '../service-process.ts'
import type { Operation, PreparedRequest } from './operations.ts'
import { readCounts, type StoredCounts } from './stored-counts.ts'

/** How many kills came before the effect was stored, and how many after. */
export interface KillCounts {
  lost: number
  stored: number
}

interface Killable {
  readonly t: TestContext
  readonly setup: ServiceSetup
  readonly provider: Provider
}

/**
 * Kills the service before each write of a request, from the first to the response. After each kill the effect is stored with
 * its audit entry and its event, or nothing is; and the same request with the same idempotency key leads to exactly one. On
 * PostgreSQL, a POST is repeated only once its effect is stored.
 *
 * @throws AssertionError
 */
export async function killAtEachWrite(
  { t, setup, provider }: Killable,
  operation: Operation,
): Promise<KillCounts> {
  const killable = {
    ...setup,
    nodeArgs: ['--import', join(import.meta.dirname, 'kill-before-write.ts')],
  }
  let service = await startService(killable)
  t.after(() => service.kill())
  const definitionId = await defineDesk(service, provider)
  const counts = { lost: 0, stored: 0 }
  for (let point = 1, attempt = 0; ; point += 1, attempt += 1) {
    const context = { service, definitionId, provider }
    const request = await operation.prepare(context, `point-${attempt}`)
    const before = await readCounts(setup, operation)
    const keyed = { token: setup.token, ...request, key: `crash-point-key-${attempt}` }
    const status = await send(service, keyed, point)
    if (status === undefined) service = await startService(killable)
    const title = `${operation.name}, killed before write ${point}`
    const done = expectWhole(operation, before, await readCounts(setup, operation), title)
    if (status !== undefined) {
      const isDone = status < 300 || status === request.refusal
      assert.deepEqual([isDone, done], [true, 1], `acknowledged: ${status}`)
      if (counts.stored > 0) return counts
      // Another write of the service took the place of the response: again.
      point -= 2
      continue
    }
    counts[done === 1 ? 'stored' : 'lost'] += 1
    // Other nodes may still run on PostgreSQL, so a key stays claimed for half a minute after its node was killed.
    if (done === 0 && setup.databaseUrl !== undefined && request.method === 'POST') continue
    const repeated = await send(service, keyed)
    const success = request.method === 'POST' && isCreation(operation) ? 201 : 200
    assert.equal(repeated, request.refusal ?? success)
    const after = expectWhole(
      operation,
      before,
      await readCounts(setup, operation),
      `${title}, repeated`,
    )
    assert.equal(after, 1, `${title}: the repeated request had ${after} effects`)
  }
}

/** How many effects were added. Fails unless as many audit entries and events were. */
function expectWhole(
  { hasEvent }: Operation,
  before: StoredCounts,
  after: StoredCounts,
  title: string,
): number {
  const effects = after.effects - before.effects
  assert.deepEqual(
    { entries: after.entries - before.entries, events: after.events - before.events },
    { entries: effects, events: hasEvent ? effects : 0 },
    `${title}: ${effects} effects`,
  )
  return effects
}

const isCreation = ({ action }: Operation) => action.endsWith('.created')

interface KeyedRequest extends PreparedRequest {
  readonly key: string
  readonly token: string
}

/** Resolves to the status, or to undefined if the service died before the response. */
async function send(
  { url }: ServiceProcess,
  { method, path, body, key, token }: KeyedRequest,
  killBefore?: number,
): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method === 'POST' && { 'idempotency-key': key }),
        ...(killBefore !== undefined && { 'x-kill-before': String(killBefore) }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await response.text()
    return response.status
  } catch {
    return undefined
  }
}
