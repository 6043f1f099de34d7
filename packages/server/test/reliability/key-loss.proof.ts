import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../src/activity/webhooks/test/receiver.ts'
import { describePostgres } from '../postgres.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import {
  fillSealedAccounts,
  openEverything,
  runKeyCommand,
  runUntilKilled,
  SOURCE_MAIN,
  withVault,
} from './key-rounds.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from './service-process.ts'

const ACCOUNTS = Number(process.env.KEY_LOSS_ACCOUNTS ?? 2_000)
const KILLS = Number(process.env.KEY_KILLS ?? 10)
const [LOST = '', KEPT = ''] = ['lost', 'kept'].map(
  (id) => `${id}:${randomBytes(32).toString('base64')}`,
)
const options = { keys: LOST, program: SOURCE_MAIN }

describe('A lost key, on SQLite', () => {
  it(`keys forget, killed ${KILLS} times, ends in a service to which customers reconnect`, async (t) => {
    await prove(t, await createServiceSetup(options))
  })
})

describePostgres('A lost key, on PostgreSQL', (server) => {
  it(`keys forget, killed ${KILLS} times, ends in a service to which customers reconnect`, async (t) => {
    const databaseUrl = await server().createDatabase('key_loss')
    await prove(t, await createServiceSetup({ ...options, databaseUrl }))
  })
})

async function prove(t: TestContext, setup: ServiceSetup): Promise<void> {
  const [provider, receiver] = [await startDeskProvider(), await startReceiver()]
  const before = await startService(setup)
  t.after(async () => {
    await Promise.all([before.kill(), provider.close(), receiver.close()])
    await setup.remove()
  })
  const definitionId = await defineDesk(before, provider)
  const credentials = createDeskCredentials(definitionId, provider, 'desk_live_1')
  const body = { ...credentials, integrationAccountName: 'Support desk' }
  const account = await create(before, '/v1/integration_account', body)
  const link = await create(before, '/v1/link', { linkName: 'before' })
  const endpoint = await create(before, '/v1/webhook_endpoint', { url: receiver.url })
  const user = await create(before, '/v1/user', { email: 'ada@example.com' })
  const accountPath = `/v1/integration_account/${account.integrationAccountId}`
  const endpointPath = `/v1/webhook_endpoint/${endpoint.webhookEndpointId}`
  await withVault(setup, LOST, (open) =>
    fillSealedAccounts(open, account.integrationAccountId, ACCOUNTS),
  )
  await before.stop()

  await assert.rejects(startService({ ...setup, keys: KEPT }), /keys forget lost --accept-loss/)
  const ended = await forget(setup)
  const after = await startService({ ...setup, keys: KEPT })
  t.after(() => after.kill())
  const lost = await after.call('GET', accountPath)
  assert.deepEqual(
    [lost.status, lost.body.status, lost.body.statusReason],
    [200, 'needs_reauth', 'key_lost'],
  )
  assert.equal((await after.call('GET', `${accountPath}/credentials`)).status, 424)
  assert.equal((await after.call('GET', `/v1/link/${link.linkId}`)).body.linkName, 'before')
  assert.equal((await after.call('GET', '/v1/user', undefined, user.token)).status, 200)
  const disabled = await after.call('GET', endpointPath)
  assert.match(JSON.stringify(disabled.body), /key_lost/)

  // The customer connects again; then the endpoint gets what it missed.
  const reconnected = await after.call('POST', accountPath, { config: credentials.config })
  assert.deepEqual([reconnected.status, reconnected.body.status], [200, 'active'])
  const read = await after.call('GET', `${accountPath}/credentials`)
  assert.equal(read.body.config?.api_key, 'desk_live_1')
  assert.equal((await after.call('POST', `${endpointPath}/rotate`, {})).status, 200)
  assert.equal((await after.call('POST', endpointPath, { paused: false })).status, 200)
  const isReceived = (type: string) => receiver.received.some((each) => each.body.includes(type))
  while (!isReceived('account.needs_reauth')) await sleep(20)
  await create(after, '/v1/connect_session', { linkId: link.linkId })
  await create(after, '/v1/integration_account', body)
  assert.equal(await after.stop(), 0)
  const values = await withVault(setup, KEPT, openEverything)
  assert.ok(values >= ACCOUNTS)
  t.diagnostic(`${KILLS} kills, ${ended} ends; ${values} sealed values afterwards, 0 unreadable`)
}

/** A run that has ended leaves nothing to do: the last kills may hit that. */
async function forget(setup: ServiceSetup): Promise<number> {
  const args = ['keys', 'forget', 'lost', '--accept-loss']
  const { ended } = await runUntilKilled(
    (killAfterMs) =>
      runKeyCommand(args, setup, { keys: KEPT, ...(killAfterMs && { killAfterMs }) }),
    { kills: KILLS, longestMs: () => 700, next: () => undefined },
  )
  return ended
}

async function create(service: ServiceProcess, path: string, body: object) {
  const response = await service.call('POST', path, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}
