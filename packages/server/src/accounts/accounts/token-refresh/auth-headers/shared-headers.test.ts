import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../test/refresh-test-context.ts'
import { createRotatingBundle } from '../test/rotating-bundle.ts'
import { getAuthHeaders } from './get-auth-headers.ts'

describeOnBothDatabases('headers that a bundle created with tokens of its own', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.expiresIn = 3_600
    context.provider.calls.length = 0
  })
  const connect = (overrides: object = {}) =>
    context.account({ code: createRotatingBundle(createOAuthSpec(context.provider)), ...overrides })
  const unmanaged = { hasApp: false, row: { token_expires_at: null, refresh_at: null } }

  for (const [kind, overrides] of [
    ['with an app', {}],
    ['without an app', unmanaged],
  ] as const)
    it(`are reused by nodes that have just started: one request for three, ${kind}`, async () => {
      const { id, family } = await connect(overrides)
      for (let starts = 0; starts < 3; starts += 1) {
        const nodes = [context.node(), context.node(), context.node()]
        const all = Array.from({ length: 30 }, (_, index) =>
          getAuthHeaders(nodes[index % 3] ?? context.node(), id),
        )
        for (const { headers } of await Promise.all(all))
          assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
      }
      assert.equal(context.provider.calls.length, 1)
      assert.equal(context.provider.reuseCount(), 0)
    })

  it('are cached for minutes when the provider reports no expiry', async () => {
    context.provider.expiresIn = undefined
    const { id, family } = await connect(unmanaged)
    const nodes = [context.node(), context.node()]
    for (let round = 0; round < 3; round += 1)
      for (const node of nodes) {
        const { headers } = await getAuthHeaders(node, id)
        assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
      }
    assert.equal(context.provider.calls.length, 1)
  })

  it('are encrypted, and erased with the account', async () => {
    const { id, family } = await connect()
    await getAuthHeaders(context.node(), id)
    const sealed = Buffer.from((await context.row(id)).sealed_headers ?? [])
    assert.ok(sealed.length > 0)
    assert.ok(!sealed.includes(family.accessToken))
    await context.t.call('DELETE', `/v1/integration_account/${id}`)
    assert.equal((await context.row(id)).sealed_headers, null)
  })
}
