import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectCreated, expectError, expectKeys, expectOk } from '../../../test/test-context.ts'

const MINUTE = 60_000

describe('GET /v1/user/token', () => {
  let t: TestApp
  let time = Date.now()
  before(async () => {
    t = await testApp({ now: () => time })
  })
  after(() => t.close())

  const list = async (token?: string) =>
    expectOk(await t.call('GET', '/v1/user/token', token === undefined ? {} : { token }))

  itRequiresScope(() => t, 'GET', '/v1/user/token', { scope: 'tokens' })

  describe('200', () => {
    it('GET /v1/user/token: 200 with exactly the fields of the interface, oldest first, without token values', async () => {
      const { token, tokenId } = expectCreated(
        await t.call('POST', '/v1/user/token', { body: { name: 'shown' } }),
      )
      const response = await t.call('GET', '/v1/user/token')
      const last = expectOk(response).at(-1)
      expectKeys(last, [
        ...['tokenId', 'name', 'scopes', 'workspaceId', 'expiresAt'],
        ...['integrationAccountIds', 'createdAt', 'lastUsedAt', 'revokedAt'],
      ])
      assert.equal(last.tokenId, tokenId)
      assert.deepEqual([last.name, last.lastUsedAt, last.revokedAt], ['shown', null, null])
      assert.ok(!response.text.includes('lp_'), 'no token')
      assert.ok(!response.text.includes(token.slice(3, 20)), 'no part of a token')
      const times = response.body.map((row: { createdAt: string }) => row.createdAt)
      assert.deepEqual(times, times.toSorted())
      assert.equal(response.body[0].expiresAt, null, "the owner's does not expire")
    })

    it('GET /v1/user/token: 200 omits revoked tokens and those of other users', async () => {
      const { tokenId } = expectCreated(
        await t.call('POST', '/v1/user/token', { body: { name: 'x' } }),
      )
      await t.call('DELETE', `/v1/user/token/${tokenId}`)
      const otherUser = await t.otherUser()
      const ownIds = (await list()).map((row: { tokenId: string }) => row.tokenId)
      const otherIds = (await list(otherUser.token)).map((row: { tokenId: string }) => row.tokenId)
      assert.ok(ownIds.length > 0 && !ownIds.includes(tokenId))
      assert.equal(otherIds.length, 1)
      assert.ok(!ownIds.includes(otherIds[0]))
    })

    it('GET /v1/user/token: 200 omits the tokens through which members of the console act', async () => {
      const before = await list()
      for (const origin of ['member', 'session'] as const) {
        const { tokenId } = expectCreated(
          await t.call('POST', '/v1/user/token', { body: { name: origin } }),
        )
        await t.database.transaction(async (trx) => {
          await trx.updateTable('tokens').set({ origin }).where('token_id', '=', tokenId).execute()
        })
      }
      assert.deepEqual(await list(), before)
    })

    it('GET /v1/user/token: 200 for a bound token lists only tokens bound to the same workspace', async () => {
      const bound = await t.createToken({ workspaceId: t.workspaceId, scopes: ['tokens'] })
      const rows = await list(bound)
      assert.ok(rows.length > 0)
      for (const { workspaceId } of rows) assert.equal(workspaceId, t.workspaceId)
    })

    it('GET /v1/user/token: 200 lastUsedAt has a resolution of 15 minutes', async () => {
      const start = time
      const createResponse = await t.call('POST', '/v1/user/token', { body: { name: 'used' } })
      const { token, tokenId } = expectCreated(createResponse)
      const useTokenAfter = async (after: number) => {
        time = start + after
        expectOk(await t.call('GET', '/v1/user', { token }))
        // The last use is written after the response.
        for (let i = 0; i < 20; i++) await turn()
        const row = (await list()).find((one: { tokenId: string }) => one.tokenId === tokenId)
        return Date.parse(row.lastUsedAt) - start
      }
      assert.equal(await useTokenAfter(0), 0)
      assert.equal(await useTokenAfter(15 * MINUTE - 1), 0)
      assert.equal(await useTokenAfter(15 * MINUTE), 15 * MINUTE)
      assert.equal(await useTokenAfter(29 * MINUTE), 15 * MINUTE)
      assert.equal(await useTokenAfter(45 * MINUTE), 45 * MINUTE)
    })
  })

  it('GET /v1/user/token: 400 for an unknown query parameter', async () => {
    expectError(await t.call('GET', '/v1/user/token?limit=1'), 'invalid_parameter')
  })
})
