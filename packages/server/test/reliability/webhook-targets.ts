import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DispatchTestContext } from '../../src/activity/webhooks/test/dispatch-context.ts'
import { type Receiver, startReceiver } from '../../src/activity/webhooks/test/receiver.ts'
import type { Ordering, WebhookEndpointId } from '../../src/activity/webhooks/webhook-endpoint.ts'

const PROGRAM = path.join(import.meta.dirname, 'webhook-sender.ts')
const SUBJECTS = 40
const BATCH = 10

/** An endpoint, and what its receiver has accepted. */
export interface Target {
  readonly endpointId: WebhookEndpointId
  readonly receiver: Receiver
  /** The sequence numbers that were answered with 200, in their order. */
  readonly accepted: { readonly sequence: number; readonly subject: string }[]
}

/** An endpoint whose receiver fails now and then, and while `isFailing` although it has accepted the event. */
export async function addTarget(
  t: DispatchTestContext,
  workspaceId: `wsp_${string}`,
  ordering: Ordering,
  isFailing: () => boolean = () => false,
): Promise<Target> {
  const accepted: Target['accepted'] = []
  let count = 0
  const receiver = await startReceiver((response, { event }) => {
    count += 1
    response.statusCode = count % FAILS_EVERY === 0 ? 500 : 200
    if (response.statusCode === 200) accepted.push(event)
    setTimeout(() => {
      if (isFailing()) response.statusCode = 500
      response.end()
    }, Math.random() * 8)
  })
  const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url, ordering })
  return { endpointId, receiver, accepted }
}

const FAILS_EVERY = 97

/** Publishes events of 40 accounts, about a thousand a second. */
export async function publishAll(
  t: DispatchTestContext,
  workspaceId: `wsp_${string}`,
  events: number,
): Promise<void> {
  for (let count = 0; count < events; count += BATCH) {
    const batch = Array.from(
      { length: Math.min(BATCH, events - count) },
      (_, index) => count + index,
    )
    await Promise.all(
      batch.map((number) => t.publish(workspaceId, 'account.updated', `acc_${number % SUBJECTS}`)),
    )
    await sleep(10)
  }
}

/** A process that numbers events and sends them. */
export async function startSender(
  t: DispatchTestContext,
  environment: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      ...process.env,
      ...(t.url === undefined ? { DATABASE_FILE: t.file } : { DATABASE_URL: t.url }),
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  assert.ok(child.stdout)
  await once(child.stdout, 'data')
  return child
}

export async function killProcess(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** The number of deliveries that were accepted and are not stored as delivered. */
export async function countUnsettled(
  t: DispatchTestContext,
  targets: readonly Target[],
): Promise<number> {
  let count = 0
  for (const { endpointId, accepted } of targets) {
    const seen = new Set(accepted.map(({ sequence }) => sequence))
    const rows = await t.listDeliveries(endpointId)
    count += rows.filter((row) => row.state !== 'delivered' && seen.has(row.sequence)).length
  }
  return count
}

/** Repetitions do not count as inversions: a receiver drops what it has seen. */
export function evaluate({ accepted }: Target, events: number) {
  const seen = new Set<number>()
  const last = new Map<string, number>()
  let inversions = 0
  for (const { sequence, subject } of accepted) {
    if (seen.has(sequence)) continue
    seen.add(sequence)
    if (sequence < (last.get(subject) ?? 0)) inversions += 1
    last.set(subject, Math.max(sequence, last.get(subject) ?? 0))
  }
  return { lost: events - seen.size, inversions, duplicates: accepted.length - seen.size }
}

/** Resolves when all events were delivered to all targets. */
export function untilDelivered(
  t: DispatchTestContext,
  targets: readonly Target[],
  events: number,
): Promise<void> {
  return until(async () => {
    const rows = await Promise.all(targets.map(({ endpointId }) => t.listDeliveries(endpointId)))
    return rows.every(
      (each) => each.length === events && each.every((row) => row.state === 'delivered'),
    )
  }, events)
}

/** Waits for a condition, longer for more events. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  events: number,
): Promise<void> {
  const deadline = Date.now() + 60_000 + events * 100
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline, 'the condition did not become true')
    await sleep(50)
  }
}
