import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Receiver, startReceiver } from '../../../src/activity/webhooks/test/receiver.ts'
import { ALERTS } from '../../../src/app/observability/metrics/alert-table.ts'
import { describePostgres } from '../../postgres.ts'
import { connectGrants } from './grants.ts'
import { prometheusAvailable } from './prometheus.ts'
import {
  expectAlerts,
  repeat,
  startWatchedService,
  type WatchedService,
} from './watched-service.ts'

// Needs Debian's prometheus: `npm run proof -- alerts`.
const OPTIONS = {
  concurrency: 3,
  skip: prometheusAvailable() ? false : 'Prometheus is not installed: apt-get install prometheus',
}
const DUE_IN_MS = 5_000
/** One token request of a host at a time, so that a round lasts. */
const ONE_AT_A_TIME = { LINCHPIN_REFRESH_CONCURRENCY: '4' }

describePostgres('Background work of a real service', (server) => {
  const watch = async (t: Cleanup, settings = {}): Promise<WatchedService> =>
    startWatchedService(t, { databaseUrl: await server().createDatabase('alerts'), settings })

  describe('makes Prometheus, with its rules shortened, fire', OPTIONS, () => {
    it('nothing while tokens are refreshed and one receiver of webhooks is slow', async (t) => {
      const watched = await watch(t)
      const { service, prometheus } = watched
      const provider = await connectGrants(t, watched, { count: 100, dueInMs: DUE_IN_MS })
      const receiver = await receiveWebhooks(t, watched, 200, 4_000)
      for (let count = 0; count < 40; count += 1) await createLink(watched)
      const reads = repeat(() => service.call('GET', '/v1/link'), 200)
      t.after(() => reads.stop())
      await sleep(70_000)
      assert.deepEqual(await prometheus.listFired(), [])
      assert.equal(provider.calls.length, 100)
      assert.ok(receiver.received.length < 40, 'events still wait')
    })

    it('LinchpinEventsLate, …WebhooksLate, …TokenRefreshesLate and …BackgroundJobFails while a person holds locks, until the runbook is followed', async (t) => {
      const watched = await watch(t)
      const receiver = await receiveWebhooks(t, watched, 500, 0)
      await connectGrants(t, watched, { count: 3, dueInMs: 8_000 })
      await createLink(watched)
      while (receiver.received.length === 0) await sleep(20)
      await sleep(500)
      await lockTables(t, watched, [
        ...['event_sequences', 'webhook_endpoints', 'account_tokens', 'rotations'],
      ])
      await createLink(watched)
      await expectAlerts(watched, [
        ...['LinchpinEventsLate', 'LinchpinWebhooksLate', 'LinchpinTokenRefreshesLate'],
        'LinchpinBackgroundJobFails',
      ])
      assert.match(watched.service.recentOutput(), /background work failed|events could not be/)
      await terminateBlocker(watched, 'event_sequences')
      await watched.prometheus.waitUntilNoneFires(60_000)
    })

    it('LinchpinTokenRefreshesFail while the provider refuses the client', async (t) => {
      const watched = await watch(t, ONE_AT_A_TIME)
      const provider = await connectGrants(t, watched, { count: 300, dueInMs: DUE_IN_MS })
      provider.beforeRotation = async (response) => {
        await sleep(100)
        response.writeHead(401, { 'content-type': 'application/json' })
        return response.end('{"error":"invalid_client"}').writableEnded
      }
      await expectAlerts(watched, ['LinchpinTokenRefreshesFail'])
      assert.match(watched.service.recentOutput(), /the provider rejected a token refresh/)
    })

    it('LinchpinTokenRefreshesUnanswered, and not …Late, while the provider is away', async (t) => {
      const watched = await watch(t)
      const provider = await connectGrants(t, watched, { count: 100, dueInMs: DUE_IN_MS })
      provider.beforeRotation = (response) => response.writeHead(500).end().writableEnded
      await sleep(75_000)
      await expectAlerts(watched, ['LinchpinTokenRefreshesUnanswered'])
      assert.ok(provider.calls.length < 50, 'the host is paused, and others wait')
      assert.match(watched.service.recentOutput(), /tokens could not be refreshed/)
    })

    it('LinchpinAccountsNeedReauth after the provider has revoked 40 grants', async (t) => {
      const watched = await watch(t)
      const provider = await connectGrants(t, watched, { count: 40, dueInMs: DUE_IN_MS })
      for (const family of provider.families) family.isRevoked = true
      await expectAlerts(watched, ['LinchpinAccountsNeedReauth'])
    })
  })
})

type Cleanup = { after(fn: () => unknown): void }

const createLink = ({ service }: WatchedService) =>
  service.call('POST', '/v1/link', { linkName: 'A change' })

/** Starts a receiver that answers one request at a time with this status, so much later. */
async function receiveWebhooks(
  t: Cleanup,
  { service }: WatchedService,
  status: number,
  delayMs: number,
): Promise<Receiver> {
  const receiver = await startReceiver((response) => {
    setTimeout(() => response.writeHead(status).end(), delayMs)
  })
  t.after(() => receiver.close())
  const endpoint = { url: receiver.url, maxInFlight: 1 }
  assert.equal((await service.call('POST', '/v1/webhook_endpoint', endpoint)).status, 201)
  return receiver
}

/** Locks tables as CREATE INDEX does, in a transaction that a person has left open. */
async function lockTables(
  t: Cleanup,
  { setup }: WatchedService,
  tables: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: setup.databaseUrl })
  await client.connect()
  client.on('error', () => {})
  t.after(() => client.end().catch(() => {}))
  await client.query(`BEGIN; LOCK TABLE ${tables.join(', ')} IN SHARE MODE`)
}

/** Finds who blocks statements on a table with the query of the runbook, and ends it, as the runbook says. */
async function terminateBlocker({ setup }: WatchedService, table: string): Promise<void> {
  const { steps = [] } = ALERTS.find(({ name }) => name === 'LinchpinDatabaseSaturated') ?? {}
  const [, query = ''] = /`(select pid.+?)`/.exec(steps.join()) ?? []
  const client = new pg.Client({ connectionString: setup.databaseUrl })
  await client.connect()
  for (let pid: number | undefined; pid === undefined; await sleep(200)) {
    const { rows } = await client.query(query)
    pid = rows.find(({ left, blocked_by: by }) => left.includes(table) && by.length > 0)
      ?.blocked_by[0]
    if (pid !== undefined) await client.query('select pg_terminate_backend($1)', [pid])
  }
  await client.end()
}
