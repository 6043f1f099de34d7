import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { itGuards } from '../../test/access.ts'
import { created, fine, hasKeys, refused } from '../../test/fixtures.ts'
import { type TestApp, testApp } from '../../test/test-app.ts'

const MINUTE = 60_000

describe('GET /v1/user/token', () => {
  let t: TestApp
  let time = Date.now()
  before(async () => {
    t = await testApp({ now: () => time })
  })
  after(() => t.close())

  const list = async (token?: string) =>
    fine(await t.call('GET', '/v1/user/token', token === undefined ? {} : { token }))

  itGuards(() => t, 'GET', '/v1/user/token', { scope: 'tokens' })

  describe('200', () => {
    it('shows exactly the facts of each token, oldest first, and no secret', async () => {
      const { token, tokenId } = created(
        await t.call('POST', '/v1/user/token', { body: { name: 'shown' } }),
      )
      const answer = await t.call('GET', '/v1/user/token')
      const last = fine(answer).at(-1)
      hasKeys(last, [
        ...['tokenId', 'name', 'scopes', 'workspaceId', 'expiresAt'],
        ...['createdAt', 'lastUsedAt', 'revokedAt'],
      ])
      assert.equal(last.tokenId, tokenId)
      assert.deepEqual([last.name, last.lastUsedAt, last.revokedAt], ['shown', null, null])
      assert.ok(!answer.text.includes('lp_'), 'no token')
      assert.ok(!answer.text.includes(token.slice(3, 20)), 'nor a part of one')
      const times = answer.body.map((row: { createdAt: string }) => row.createdAt)
      assert.deepEqual(times, times.toSorted())
      assert.equal(answer.body[0].expiresAt, null, "the owner's does not expire")
    })

    it('leaves out revoked tokens and those of other users', async () => {
      const { tokenId } = created(await t.call('POST', '/v1/user/token', { body: { name: 'x' } }))
      await t.call('DELETE', `/v1/user/token/${tokenId}`)
      const stranger = await t.stranger()
      const mine = (await list()).map((row: { tokenId: string }) => row.tokenId)
      const theirs = (await list(stranger.token)).map((row: { tokenId: string }) => row.tokenId)
      assert.ok(mine.length > 0 && !mine.includes(tokenId))
      assert.equal(theirs.length, 1)
      assert.ok(!mine.includes(theirs[0]))
    })

    it('shows a bound token only those bound to the same workspace', async () => {
      const bound = await t.mint({ workspaceId: t.workspaceId, scopes: ['tokens'] })
      const rows = await list(bound)
      assert.ok(rows.length > 0)
      for (const { workspaceId } of rows) assert.equal(workspaceId, t.workspaceId)
    })

    it('moves the last use in steps of 15 minutes', async () => {
      const start = time
      const made = await t.call('POST', '/v1/user/token', { body: { name: 'used' } })
      const { token, tokenId } = created(made)
      const useAt = async (after: number) => {
        time = start + after
        fine(await t.call('GET', '/v1/user', { token }))
        // The note is written behind the answer.
        for (let i = 0; i < 20; i++) await turn()
        const row = (await list()).find((one: { tokenId: string }) => one.tokenId === tokenId)
        return Date.parse(row.lastUsedAt) - start
      }
      assert.equal(await useAt(0), 0)
      assert.equal(await useAt(15 * MINUTE - 1), 0)
      assert.equal(await useAt(15 * MINUTE), 15 * MINUTE)
      assert.equal(await useAt(29 * MINUTE), 15 * MINUTE)
      assert.equal(await useAt(45 * MINUTE), 45 * MINUTE)
    })
  })

  it('400: takes no query', async () => {
    refused(await t.call('GET', '/v1/user/token?limit=1'), 'invalid_parameter')
  })
})
