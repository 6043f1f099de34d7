import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'

const PATH = '/v1/webhook_endpoint'

describeOnBothDatabases('POST /v1/webhook_endpoint/{id}', (newUrl) => {
  let t: TestContext
  let path: string
  let created: Record<string, unknown>
  before(async () => {
    t = await testContext({ url: await newUrl() })
    const body = { url: 'http://127.0.0.1:9/', types: ['link.*'], paused: true }
    const { secret: _, ...endpoint } = expectCreated(await t.call('POST', PATH, { body }))
    created = endpoint
    path = `${PATH}/${endpoint.webhookEndpointId}`
  })
  after(() => t.close())

  const update = (body: object, token = t.token) => t.call('POST', path, { body, token })
  const setRow = (row: Partial<WebhookEndpointRow>) =>
    t.database.transaction((trx) => trx.updateTable('webhook_endpoints').set(row).execute())
  const createLink = async (linkName: string) => {
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName } }))
    const [event] = expectOk(await t.call('GET', `/v1/event?wait=20&after=${sequence}`))
    assert.equal(event.sequence, ++sequence)
  }
  let sequence = 0
  const countDeliveries = async () => expectOk(await t.call('GET', `${path}/delivery`)).length

  it('200 with the changed fields, and no others change', async () => {
    const changes = { description: 'x', types: ['account.*'], payload: 'thin', maxInFlight: 2 }
    const { updatedAt: _, ...changed } = expectOk(await update(changes))
    const { updatedAt: __, ...before } = created
    assert.deepEqual(changed, { ...before, ...changes })
    assert.deepEqual(expectOk(await update({ types: [] })).types, [])
    assert.deepEqual(expectOk(await update({ headers: { 'x-key': 'k' } })).headerNames, ['x-key'])
    assert.deepEqual(expectOk(await update({ headers: {} })).headerNames, [])
    const actions = await listAuditActions(t, String(created.webhookEndpointId))
    assert.ok(actions.includes('webhook_endpoint.updated'))
  })

  it('400 for fields that are invalid, 404 for the endpoint of another user', async () => {
    expectError(await update({ types: ['nonsense'] }), 'validation_failed')
    expectError(await update({ url: 'https://10.0.0.1/' }), 'webhook_url_forbidden')
    expectError(await update({ replay: 'missed' }), 'validation_failed')
    expectError(await update({ paused: false, replay: 'all' }), 'validation_failed')
    expectError(await update({ paused: false, replay: { since: 'x' } }), 'validation_failed')
    const { token } = await t.otherUser()
    expectError(await update({}, token), 'webhook_endpoint_not_found')
  })

  it('a paused endpoint gets deliveries, and is active again with paused: false', async () => {
    await createLink('while paused')
    assert.equal(await countDeliveries(), 1)
    assert.equal(expectOk(await update({ paused: false })).state, 'active')
    assert.equal(expectOk(await update({ paused: true })).state, 'paused')
  })

  it('a disabled endpoint gets what it missed since its last success when it is enabled', async () => {
    await setRow({ state: 'disabled', state_reason: 'no_success', failing_since: 1 })
    await createLink('missed 1')
    await createLink('missed 2')
    assert.equal(await countDeliveries(), 1)
    const enabled = expectOk(await update({ paused: false }))
    assert.deepEqual(
      [enabled.state, enabled.stateReason, enabled.failingSince],
      ['active', null, null],
    )
    assert.equal(await countDeliveries(), 3, 'and not what is pending already')
    expectOk(await update({ paused: true }))
  })

  it('enabling with replay: none skips what was missed; a time selects from then on', async () => {
    await setRow({ state: 'disabled' })
    await createLink('skipped')
    expectOk(await update({ paused: false, replay: 'none' }))
    assert.equal(await countDeliveries(), 3)
    const future = { since: new Date(Date.now() + 60_000).toISOString() }
    expectOk(await update({ paused: false, replay: future }))
    assert.equal(await countDeliveries(), 3)
    const past = { since: new Date(Date.now() - 60_000).toISOString() }
    expectOk(await update({ paused: false, replay: past }))
    assert.equal(await countDeliveries(), 4)
    expectOk(await update({ paused: true }))
  })

  it('a repeated request that enables an endpoint has the response of the first, with what was queued', async () => {
    await setRow({ state: 'disabled' })
    await createLink('missed 3')
    const body = { paused: false, replay: 'missed' }
    const headers = { 'idempotency-key': 'enable' }
    const first = expectOk(await t.call('POST', path, { body, headers }))
    assert.ok(Number(first.pending) > 0)
    await setRow({ queued: 0, pending: 0 })
    assert.deepEqual(expectOk(await t.call('POST', path, { body, headers })), first)
    expectOk(await update({ paused: true }))
  })

  itRequiresScope(
    () => t,
    'POST',
    () => path,
    { scope: 'webhooks', body: {} },
  )
})
