import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { type Receiver, startReceiver } from './test/receiver.ts'

const PATH = '/v1/webhook_endpoint'

describe('POST /v1/webhook_endpoint/{id}/rotate', () => {
  let t: TestContext
  let receiver: Receiver
  let path: string
  let now: number
  const secrets: string[] = []
  before(async () => {
    now = Date.now()
    receiver = await startReceiver()
    t = await testContext({ now: () => now })
    const body = { url: receiver.url, types: ['webhook.test'], signature: 'both' }
    const { webhookEndpointId, secret } = expectCreated(await t.call('POST', PATH, { body }))
    path = `${PATH}/${webhookEndpointId}`
    secrets.push(secret)
  })
  after(async () => {
    await t.close()
    await receiver.close()
  })

  const rotate = async (body?: object) => {
    const endpoint = expectOk(await t.call('POST', `${path}/rotate`, { body }))
    secrets.unshift(endpoint.secret)
    return endpoint
  }
  /** Whether each secret, the newest first, verifies a delivery of now. */
  const verify = async (): Promise<boolean[]> => {
    const { delivered } = expectOk(await t.call('POST', `${path}/test`, { body: {} }))
    assert.ok(delivered)
    const { body, headers } = receiver.received.at(-1) ?? assert.fail()
    return secrets.map((secret) => {
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    })
  }

  it('200: both secrets sign until the former one expires', async () => {
    assert.deepEqual(await verify(), [true])
    const { publicKeys } = await rotate({ overlapSeconds: 60 })
    assert.equal(publicKeys.length, 2)
    assert.deepEqual(await verify(), [true, true])
    now += 61_000
    assert.deepEqual(await verify(), [true, false])
  })

  it('200 without a body: both secrets sign', async () => {
    await rotate()
    assert.deepEqual(await verify(), [true, true, false])
  })

  it('200: at most two former secrets sign, and none with overlapSeconds: 0', async () => {
    for (let count = 0; count < 3; count += 1) await rotate()
    assert.deepEqual(await verify(), [true, true, true, false, false, false])
    await rotate({ overlapSeconds: 0 })
    assert.deepEqual(await verify(), [true, false, false, false, false, false, false])
  })

  it('200 for concurrent rotations: the last secret signs, and each was returned once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => t.call('POST', `${path}/rotate`, { body: {} })),
    )
    const added = responses.map((response) => expectOk(response).secret)
    assert.equal(new Set(added).size, 4)
    secrets.splice(0, secrets.length, ...added)
    assert.equal((await verify()).filter(Boolean).length, 3)
    const actions = await listAuditActions(t, path.split('/').at(-1) ?? '')
    assert.ok(actions.includes('webhook_endpoint.secret_rotated'))
  })

  it('400 for an overlap of more than a week, 404 for the endpoint of another user', async () => {
    const post = (body: object, token = t.token) =>
      t.call('POST', `${path}/rotate`, { body, token })
    expectError(await post({ overlapSeconds: 604_801 }), 'validation_failed')
    const { token } = await t.otherUser()
    expectError(await post({}, token), 'webhook_endpoint_not_found')
  })

  itRequiresScope(
    () => t,
    'POST',
    () => `${path}/rotate`,
    { scope: 'webhooks', body: {} },
  )
})
