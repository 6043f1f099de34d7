import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Vault } from '../../../platform/vault/vault.ts'
import {
  generateSigningSecrets,
  sealEndpointHeaders,
  sealSigningSecrets,
} from '../endpoint-secrets.ts'
import { type DispatchTestContext, startDispatchTestContext } from '../test/dispatch-context.ts'
import type { WebhookEndpoint } from '../webhook-endpoint.ts'
import { toWebhookEndpoint } from '../webhook-endpoint-store.ts'
import { ReceiverCache } from './attempt-delivery.ts'

describe('ReceiverCache', () => {
  let t: DispatchTestContext
  let endpoint: WebhookEndpoint
  let opened = 0
  const vault: Pick<Vault, 'openText'> = {
    openText: (...args) => {
      opened += 1
      return t.vault.openText(...args)
    },
  }
  before(async () => {
    t = await startDispatchTestContext({})
    const endpointId = await t.createEndpoint(await t.createWorkspace())
    endpoint = toWebhookEndpoint(await t.readEndpoint(endpointId))
  })
  after(() => t.close())
  const count = async (work: () => Promise<unknown>) => {
    const before = opened
    await work()
    return opened - before
  }

  it('opens the secrets of an endpoint once, and returns its other settings as they are now', async () => {
    const cache = new ReceiverCache(vault)
    assert.equal(await count(() => cache.open(endpoint, 1)), 1)
    const moved = { ...endpoint, url: 'https://example.com/moved' }
    assert.equal(await count(() => cache.open(moved, 2)), 0)
    assert.equal((await cache.open(moved, 2)).endpoint.url, moved.url)
  })

  it('opens them again when secrets, headers or the signature have changed', async () => {
    const cache = new ReceiverCache(vault)
    const { keys: former } = await cache.open(endpoint, 1)
    const rotated = {
      ...endpoint,
      ...(await sealSigningSecrets(t.vault, endpoint, [generateSigningSecrets()])),
    }
    const { keys } = await cache.open(rotated, 1)
    assert.ok(former[0] && keys[0] && !keys[0].key.equals(former[0].key))
    const changed = {
      ...rotated,
      ...(await sealEndpointHeaders(t.vault, endpoint, { 'x-a': 'b' })),
    }
    assert.deepEqual((await cache.open(changed, 1)).headers, { 'x-a': 'b' })
    assert.deepEqual((await cache.open(rotated, 1)).headers, {})
    const both = await cache.open({ ...rotated, signature: 'both' }, 1)
    assert.deepEqual(
      both.keys.map(({ scheme }) => scheme),
      ['v1', 'v1a'],
    )
  })

  it('signs with a former secret only until it expires', async () => {
    const secrets = [generateSigningSecrets(), { ...generateSigningSecrets(), expiresAt: 100 }]
    const rotated = { ...endpoint, ...(await sealSigningSecrets(t.vault, endpoint, secrets)) }
    const cache = new ReceiverCache(vault)
    assert.equal((await cache.open(rotated, 99)).keys.length, 2)
    assert.equal((await cache.open(rotated, 100)).keys.length, 1)
    assert.equal(await count(() => cache.open(rotated, 101)), 0)
  })
})
