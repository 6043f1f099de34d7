import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { type Receiver, startReceiver } from './test/receiver.ts'

const PATH = '/v1/webhook_endpoint'
const HEADERS = { Authorization: 'Bearer of-the-receiver', 'X-Tenant': 'secret-tenant' }

describeOnBothDatabases('POST /v1/webhook_endpoint/{id} with a url of another origin', (newUrl) => {
  let t: TestContext
  let receiver: Receiver
  let attacker: Receiver
  let token: string
  let path: string
  before(async () => {
    receiver = await startReceiver()
    attacker = await startReceiver()
    t = await testContext({
      url: await newUrl(),
      listens: true,
      resolve: async () => [{ address: '9.9.9.9', family: 4 }],
    })
    token = await t.createToken({ scopes: ['webhooks'] })
  })
  after(async () => {
    await t.close()
    await receiver.close()
    await attacker.close()
  })
  beforeEach(async () => {
    path = await create(receiver.url, HEADERS)
    attacker.received.length = 0
  })

  const create = async (url: string, headers: object) => {
    const body = { url, headers, paused: true }
    const endpoint = expectCreated(await t.call('POST', PATH, { body }))
    return `${PATH}/${endpoint.webhookEndpointId}`
  }
  const update = (body: object, by = token) => t.call('POST', path, { body, token: by })
  const test = async () => expectOk(await t.call('POST', `${path}/test`, { body: {}, token }))
  const getUrl = async () => expectOk(await t.call('GET', path)).url
  const listUpdates = async () => {
    const rows = await selectAuditEntries(t.database.read)
      .select(['outcome', 'detail'])
      .where('subject', '=', path.slice(PATH.length + 1))
      .where('action', '=', 'webhook_endpoint.updated')
      .orderBy('event_id')
      .execute()
    return rows.map(({ outcome, detail }) => ({ outcome, ...JSON.parse(detail) }))
  }

  it('403 without the headers, whatever the scopes: nothing changes, and the other origin receives nothing', async () => {
    const owner = t.token
    const reader = await t.createToken({ scopes: ['webhooks', 'credentials:read'] })
    for (const by of [token, reader, owner]) {
      const { errors } = expectError(await update({ url: attacker.url }, by), 'secret_required')
      assert.deepEqual(Object.keys(errors), ['headers.Authorization', 'headers.X-Tenant'])
    }
    await test()
    assert.equal(attacker.received.length, 0)
    assert.equal(await getUrl(), receiver.url)
  })

  it('403 for another scheme, host or port in every notation, also with headers: null', async () => {
    const { port } = new URL(receiver.url)
    const others = [
      `https://127.0.0.1:${port}/hooks`,
      `http://127.0.0.1:${Number(port) + 1}/hooks`,
      `http://127.0.0.2:${port}/hooks`,
      `http://localhost:${port}/hooks`,
      `http://2130706434:${port}/hooks`,
      'https://app.example.com/hooks',
      'https://APP.example.com./hooks',
      'https://bücher.example/hooks',
      'https://xn--bcher-kva.example/hooks',
    ]
    for (const url of others)
      for (const extra of [{}, { headers: null }, { description: 'moved', paused: false }]) {
        const { status, body } = await update({ url, ...extra })
        assert.equal(body.error, 'secret_required', `${url}: ${status}`)
      }
    assert.equal(await getUrl(), receiver.url)
  })

  it('200 for the same origin in another notation: the headers stay', async () => {
    const { port } = new URL(receiver.url)
    for (const url of [
      `http://127.0.0.1:${port}/other?tenant=1`,
      `HTTP://127.0.0.1:${port}/`,
      `http://2130706433:${port}/hooks`,
      `http://0x7f.1:${port}/hooks`,
      `http://127.0.0.1.:${port}/hooks`,
    ]) {
      expectOk(await update({ url }))
      await test()
      assert.equal(receiver.received.at(-1)?.headers.authorization, HEADERS.Authorization, url)
    }
    path = await create('https://bücher.example/hooks', HEADERS)
    expectOk(await update({ url: 'https://XN--bcher-KVA.example:443/hooks' }))
  })

  it('200 with the headers: the other origin receives these, and none with {}', async () => {
    expectOk(await update({ url: attacker.url, headers: { 'X-New': 'entered-now' } }))
    await test()
    const { headers } = attacker.received.at(-1) ?? assert.fail()
    assert.equal(headers['x-new'], 'entered-now')
    assert.deepEqual([headers.authorization, headers['x-tenant']], [undefined, undefined])
    expectOk(await update({ url: receiver.url, headers: {} }))
    expectOk(await update({ url: attacker.url }))
    await test()
    assert.equal(attacker.received.at(-1)?.headers['x-new'], undefined)
  })

  it('the audit trail has the host before and after, also of what was rejected and tested', async () => {
    const [host, formerHost] = [new URL(attacker.url).host, new URL(receiver.url).host]
    await update({ url: attacker.url })
    expectOk(await update({ url: attacker.url, headers: HEADERS }))
    assert.deepEqual(await listUpdates(), [
      {
        outcome: 'refused',
        fields: ['url'],
        host,
        formerHost,
        refused: 'secret_required',
        missing: ['Authorization', 'X-Tenant'],
      },
      { outcome: 'done', fields: ['url', 'headers'], host, formerHost },
    ])
    await test()
    const { detail } = await selectAuditEntries(t.database.read)
      .select('detail')
      .where('action', '=', 'webhook_endpoint.tested')
      .orderBy('event_id', 'desc')
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(detail).host, host)
  })

  it('headers that a concurrent request sets for the former origin never reach the other', async () => {
    for (let round = 0; round < 10; round += 1) {
      path = await create(receiver.url, {})
      const secret = { Authorization: `Bearer ${round}` }
      const [moved, set] = await Promise.all([
        update({ url: attacker.url }),
        update({ url: receiver.url, headers: secret }, t.token),
      ])
      expectOk(set)
      await test()
      if (moved.status !== 200) expectError(moved, 'secret_required')
    }
    assert.deepEqual(
      attacker.received.map(({ headers }) => headers.authorization).filter(Boolean),
      [],
    )
  })
})
