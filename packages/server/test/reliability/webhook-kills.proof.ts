import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DispatchTestContext,
  startDispatchTestContext,
} from '../../src/webhooks/test/dispatch-context.ts'
import { type Receiver, startReceiver } from '../../src/webhooks/test/receiver.ts'
import type { Ordering, WebhookEndpointId } from '../../src/webhooks/webhook-endpoint.ts'
import { describeOnBothDatabases } from '../postgres.ts'

const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 80)
const KILLS = Number(process.env.WEBHOOK_KILLS ?? 2)
const SUBJECTS = 40
const BATCH = 10
const TIMEOUT_MS = 60_000 + EVENTS * 100
const PROGRAM = path.join(import.meta.dirname, 'webhook-sender.ts')

interface Target {
  readonly endpointId: WebhookEndpointId
  readonly receiver: Receiver
  /** The sequence numbers that were answered with 200, in their order. */
  readonly accepted: { readonly sequence: number; readonly subject: string }[]
}

describeOnBothDatabases('Webhooks, while their sender is killed', (newUrl) => {
  it('arrive all, in the order of their account, and twice only if they were not settled', async (test) => {
    const run = await runWithKills(await newUrl(), 'account')
    test.diagnostic(JSON.stringify(run))
    assert.deepEqual([run.lost, run.inversions], [0, 0])
    assert.ok(run.duplicates <= run.unsettled, `${run.duplicates} of ${run.unsettled}`)
  })

  it('get lost if they are settled before they are sent (control)', async (test) => {
    const run = await runWithKills(await newUrl(), 'none', { MARKS_FIRST: '1' })
    test.diagnostic(JSON.stringify(run))
    assert.ok(run.lost > 0)
  })
})

async function runWithKills(
  url: string | undefined,
  ordering: Ordering,
  environment: Readonly<Record<string, string>> = {},
) {
  const t = await startDispatchTestContext({ url })
  const workspaceId = await t.createWorkspace()
  const addEndpoint = () => addTarget(t, workspaceId, ordering)
  const targets = [await addEndpoint(), await addEndpoint()]
  const start = () => startSender(t, environment)
  // Two nodes on PostgreSQL; SQLite has one.
  const senders = [await start(), ...(url === undefined ? [] : [await start()])]
  const writing = publishAll(t, workspaceId)
  let unsettled = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const threshold = ((kill + 0.5) * EVENTS) / (KILLS + 1)
    await until(() => (targets[0]?.accepted.length ?? 0) >= threshold)
    const victim = senders[kill % senders.length]
    assert.ok(victim)
    await killProcess(victim)
    // What the kernel still had is received by now.
    await sleep(100)
    unsettled += await countUnsettled(t, targets)
    senders[kill % senders.length] = await start()
  }
  await writing
  await until(async () => {
    const rows = await Promise.all(targets.map(({ endpointId }) => t.listDeliveries(endpointId)))
    return rows.every(
      (each) => each.length === EVENTS && each.every((row) => row.state === 'delivered'),
    )
  })
  await sleep(300)
  for (const sender of senders) await killProcess(sender)
  const result = targets.map(evaluate)
  for (const { receiver } of targets) await receiver.close()
  await t.close()
  const sum = (key: 'lost' | 'inversions' | 'duplicates') =>
    result.reduce((total, each) => total + each[key], 0)
  return {
    lost: sum('lost'),
    inversions: sum('inversions'),
    duplicates: sum('duplicates'),
    unsettled,
  }
}

async function addTarget(
  t: DispatchTestContext,
  workspaceId: `wsp_${string}`,
  ordering: Ordering,
): Promise<Target> {
  const accepted: Target['accepted'] = []
  let count = 0
  const receiver = await startReceiver((response, { event }) => {
    count += 1
    response.statusCode = count % FAILS_EVERY === 0 ? 500 : 200
    if (response.statusCode === 200) accepted.push(event)
    setTimeout(() => response.end(), Math.random() * 8)
  })
  const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url, ordering })
  return { endpointId, receiver, accepted }
}

const FAILS_EVERY = 97

async function publishAll(t: DispatchTestContext, workspaceId: `wsp_${string}`): Promise<void> {
  for (let count = 0; count < EVENTS; count += BATCH) {
    const batch = Array.from(
      { length: Math.min(BATCH, EVENTS - count) },
      (_, index) => count + index,
    )
    await Promise.all(
      batch.map((number) => t.publish(workspaceId, 'account.updated', `acc_${number % SUBJECTS}`)),
    )
    await sleep(10)
  }
}

async function startSender(
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

async function killProcess(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** Deliveries that were accepted and are not stored as delivered. */
async function countUnsettled(t: DispatchTestContext, targets: readonly Target[]): Promise<number> {
  let count = 0
  for (const { endpointId, accepted } of targets) {
    const seen = new Set(accepted.map(({ sequence }) => sequence))
    const rows = await t.listDeliveries(endpointId)
    count += rows.filter((row) => row.state !== 'delivered' && seen.has(row.sequence)).length
  }
  return count
}

/** Repetitions do not count as inversions: a receiver drops what it has seen. */
function evaluate({ accepted }: Target) {
  const seen = new Set<number>()
  const last = new Map<string, number>()
  let inversions = 0
  for (const { sequence, subject } of accepted) {
    if (seen.has(sequence)) continue
    seen.add(sequence)
    if (sequence < (last.get(subject) ?? 0)) inversions += 1
    last.set(subject, Math.max(sequence, last.get(subject) ?? 0))
  }
  return { lost: EVENTS - seen.size, inversions, duplicates: accepted.length - seen.size }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline, 'the condition did not become true')
    await sleep(50)
  }
}
