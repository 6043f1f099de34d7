import assert from 'node:assert/strict'
import { request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'

describeOnBothDatabases('A token that ends while its request runs', (newUrl) => {
  let t: TestContext
  let origin: string
  let skippedMs = 0
  before(async () => {
    t = await testContext({ url: await newUrl(), now: () => Date.now() + skippedMs })
    await t.app.listen({ port: 0, host: '127.0.0.1' })
    origin = `http://127.0.0.1:${(t.app.server.address() as AddressInfo).port}/api`
  })
  after(async () => {
    t.app.server.closeAllConnections()
    await t.close()
  })

  const createToken = async (body: object = {}, token = t.token) =>
    expectCreated(await t.call('POST', '/v1/user/token', { body: { name: 'a', ...body }, token }))
  const revoke = async ({ tokenId }: { readonly tokenId: string }) =>
    expectOk(await t.call('DELETE', `/v1/user/token/${tokenId}`))
  const get = (path: string, token: string) =>
    fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const countEvents = async (workspaceId: string) => {
    const token = await t.createToken({ workspaceId })
    return expectOk(await t.call('GET', '/v1/event', { token })).length as number
  }
  /** Waits for the next event of a new workspace, lets the token end, and then creates an event. */
  const waitForEvent = async (
    end: (token: { readonly tokenId: string }) => unknown,
    body: object = {},
    creator = t.token,
  ) => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const token = await createToken({ workspaceId, scopes: ['read'], ...body }, creator)
    const after = await countEvents(workspaceId)
    const waiting = get(`/v1/event?wait=20&after=${after}`, token.token)
    await sleep(200)
    await end(token)
    await t.database.transaction((trx) =>
      record(trx, SYSTEM_ACTOR, Date.now(), {
        action: 'link.created',
        workspaceId,
        subject: 'secret-subject',
        event: { type: 'link.created', subject: 'secret-subject', data: {} },
      }),
    )
    const response = await waiting
    return { status: response.status, body: await response.text() }
  }

  it('GET /v1/event: a request that waits gets the event while its token is valid', async () => {
    const { status, body } = await waitForEvent(() => undefined)
    assert.equal(status, 200)
    assert.match(body, /secret-subject/)
  })

  it('GET /v1/event: 401 instead of the event, once the token or its parent is revoked', async () => {
    const results = [await waitForEvent(revoke)]
    const parent = await createToken({ scopes: ['read', 'tokens'] })
    const { token } = parent
    results.push(await waitForEvent(() => revoke(parent), {}, token))
    for (const { status, body } of results) {
      assert.equal(status, 401, body)
      assert.match(body, /token_invalid/)
      assert.doesNotMatch(body, /secret-subject/)
    }
  })

  it('GET /v1/event: 401 instead of the event, once the token has expired', async () => {
    const { status, body } = await waitForEvent(() => (skippedMs += 61_000), { seconds: 60 })
    assert.equal(status, 401, body)
    assert.doesNotMatch(body, /secret-subject/)
  })

  it('GET /v1/audit/export: breaks off without its last line', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const token = await createToken({ workspaceId, scopes: ['audit:read'] })
    const count = 3_000
    await t.database.transaction(async (trx) => {
      for (let index = 0; index < count; index += 1)
        await record(trx, SYSTEM_ACTOR, Date.now(), {
          action: 'link.created',
          workspaceId,
          subject: 'a',
          detail: { text: 'x'.repeat(8_000) },
        })
    })
    const isChained = async () => {
      const path = `/v1/audit?workspaceId=${workspaceId}&limit=1`
      const [newest] = expectOk(await t.call('GET', path))
      return newest?.sequence >= count
    }
    while (!(await isChained())) await sleep(50)
    const response = await get('/v1/audit/export', token.token)
    assert.equal(response.status, 200)
    await revoke(token)
    await assert.rejects(response.text(), 'it must not look complete')
  })

  it('POST: 401 for a request whose body arrives after the revocation, which has no effect', async () => {
    const token = await createToken({ scopes: ['links:write'] })
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
    const headers = {
      authorization: `Bearer ${token.token}`,
      'content-type': 'application/json',
    }
    const sent = sendRequest(`${origin}/v1/link`, { method: 'POST', headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    sent.once('error', reject)
    sent.write('{"linkName":')
    await sleep(1_200)
    await revoke(token)
    sent.end('"too late"}')
    const { status, body } = await promise
    assert.equal(status, 401, body)
    const links = expectOk(await t.call('GET', '/v1/link'))
    assert.ok(!JSON.stringify(links).includes('too late'))
  })
})
