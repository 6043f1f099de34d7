import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEgressGateway, type EgressGateway, parseAllowList } from '@linchpin/runner'
import { createLog } from '../../../platform/http/log.ts'
import { startDispatcher } from '../dispatch/dispatcher.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'
import type { DispatchTestContext } from './dispatch-context.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** What the healthy endpoints measured. */
export interface TenantLoad {
  /** Milliseconds from the start to the arrival of an event. */
  readonly p95: number
  readonly perSecond: number
  /** Events that did not arrive. */
  readonly missing: number
}

export interface TenantLoadOptions {
  /** Events for each endpoint. */
  readonly events: number
  /** The URLs of further endpoints, each of a tenant of its own. */
  readonly others?: readonly string[]
  /** Sends what is pending. Default: the dispatcher. */
  readonly send?: Sender
  /** Ends the measurement. Default: when the healthy endpoints have everything. */
  readonly isOver?: () => boolean
  /** Called at its end. */
  readonly onEnd?: () => void
}

/** Starts to send, and returns what ends it. */
export type Sender = (
  t: DispatchTestContext,
  egressGateway: EgressGateway,
) => Promise<() => Promise<void>>

/** Delivers to eight healthy endpoints that answer after 10 ms, each of a tenant of its own. */
export async function measureTenantLoad(
  t: DispatchTestContext,
  { events, others = [], send = startSending, isOver, onEnd = () => {} }: TenantLoadOptions,
): Promise<TenantLoad> {
  const egressGateway = createEgressGateway({ allow: parseAllowList('webhook=127.0.0.0/8') })
  const receivers = await Promise.all(
    Array.from({ length: HEALTHY }, () =>
      startReceiver((response) => setTimeout(() => response.end(), RESPONSE_MS)),
    ),
  )
  const endpointIds: WebhookEndpointId[] = []
  for (const url of [...others, ...receivers.map((each) => each.url)])
    endpointIds.push(await addEndpoint(t, url, events))
  const startedAt = performance.now()
  const startedTime = Date.now()
  const stop = await send(t, egressGateway)
  const hasAll = () => receivers.every(({ received }) => received.length >= events)
  while (!(isOver ?? hasAll)()) {
    assert.ok(performance.now() - startedAt < TIMEOUT_MS, 'the healthy endpoints got everything')
    await sleep(5)
  }
  onEnd()
  await stop()
  await egressGateway.close()
  for (const receiver of receivers) await receiver.close()
  // Those that fail must not take part in the next measurement.
  for (const endpointId of endpointIds)
    await t.changeEndpoint(endpointId, { state: 'disabled', due_at: null, lease_owner: null })
  const arrived = receivers.reduce((sum, { received }) => sum + received.length, 0)
  return { ...summarize(receivers, startedTime), missing: HEALTHY * events - arrived }
}

const HEALTHY = 8
const RESPONSE_MS = 10
const TIMEOUT_MS = 120_000

async function addEndpoint(t: DispatchTestContext, url: string, events: number) {
  const workspaceId = await t.createWorkspace()
  const endpointId = await t.createEndpoint(workspaceId, { url, ordering: 'none' })
  await t.database.transaction(async (trx) => {
    for (let count = 0; count < events; count += 1)
      await t.publishIn(trx, workspaceId, 'account.updated', `acc_${count}`)
  })
  await t.number(workspaceId)
  return endpointId
}

const startSending: Sender = async (t, egressGateway) => {
  const dispatcher = startDispatcher({
    database: t.database,
    vault: t.vault,
    egressGateway,
    log: createLog('silent'),
    now: Date.now,
    onTransition: async () => {},
  })
  dispatcher.wake([])
  return dispatcher.stop
}

function summarize(receivers: readonly Receiver[], startedAt: number): Omit<TenantLoad, 'missing'> {
  const delays = receivers
    .flatMap(({ received }) => received.map(({ at }) => at - startedAt))
    .toSorted((a, b) => a - b)
  return {
    p95: delays[Math.floor(delays.length * 0.95)] ?? 0,
    perSecond: Math.round((delays.length * 1_000) / (delays.at(-1) ?? 1)),
  }
}
