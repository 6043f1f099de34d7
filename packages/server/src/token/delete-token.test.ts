import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import { auditOf, created, fine, refused } from '../../test/fixtures.ts'
import { type TestApp, testApp } from '../../test/test-app.ts'

const UNKNOWN = 'tok_01m7yye6z6e6m8f814qshnwdjc'

describe('DELETE /v1/user/token/{tokenId}', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const make = async (body: object = {}, token?: string) =>
    created(
      await t.call('POST', '/v1/user/token', {
        body: { name: 'x', scopes: ['read', 'tokens'], ...body },
        ...(token === undefined ? {} : { token }),
      }),
    )
  const remove = (tokenId: string, token?: string) =>
    t.call('DELETE', `/v1/user/token/${tokenId}`, token === undefined ? {} : { token })
  const use = async (token: string) => (await t.call('GET', '/v1/user', { token })).status

  itGuards(() => t, 'DELETE', `/v1/user/token/${UNKNOWN}`, { scope: 'tokens' })

  describe('200', () => {
    it('ends the token at once', async () => {
      const { token, tokenId } = await make()
      assert.equal(await use(token), 200)
      const answer = fine(await remove(tokenId))
      assert.equal(answer.tokenId, tokenId)
      assert.notEqual(answer.revokedAt, null)
      refused(await t.call('GET', '/v1/user', { token }), 'token_invalid')
      assert.deepEqual(await auditOf(t, tokenId), ['token.created', 'token.revoked'])
    })

    it('answers the same when repeated, and leaves one line in the audit trail', async () => {
      const { tokenId } = await make()
      const first = fine(await remove(tokenId))
      assert.deepEqual(fine(await remove(tokenId)), first)
      assert.deepEqual(await auditOf(t, tokenId), ['token.created', 'token.revoked'])
    })

    it('ends all that the token minted, down to the last, and nothing beside', async () => {
      const parent = await make()
      const child = await make({}, parent.token)
      const grandchild = await make({}, child.token)
      const sibling = await make({}, parent.token)
      fine(await remove(child.tokenId))
      const all = [parent, child, grandchild, sibling].map(({ token }) => use(token))
      assert.deepEqual(await Promise.all(all), [200, 401, 401, 200])
      fine(await remove(parent.tokenId))
      assert.deepEqual(await Promise.all([use(parent.token), use(sibling.token)]), [401, 401])
    })

    it('lets a token end itself', async () => {
      const { token, tokenId } = await make()
      fine(await remove(tokenId, token))
      assert.equal(await use(token), 401)
    })
  })

  describe('403', () => {
    it('refuses a token that lacks a part of write one that has write, and the reverse is fine', async () => {
      const parent = await make({ scopes: ['write', 'tokens'] })
      const part = await make({ scopes: ['links:write', 'tokens'] }, parent.token)
      const other = await make({ scopes: ['accounts:write'] }, parent.token)
      for (const { tokenId } of [parent, other])
        refused(await remove(tokenId, part.token), 'insufficient_scope')
      fine(await remove(other.tokenId, parent.token))
    })

    it('keeps a narrow token from ending one that may do more', async () => {
      const wide = await make({ scopes: ['read', 'write', 'tokens'] })
      const narrow = await make({ scopes: ['read', 'tokens'] }, wide.token)
      refused(await remove(wide.tokenId, narrow.token), 'insufficient_scope')
      assert.deepEqual([await use(wide.token), await use(narrow.token)], [200, 200])
    })
  })

  describe('404', () => {
    it('tells foreign, unknown and malformed ids alike', async () => {
      const stranger = await t.stranger()
      const theirs = fine(await t.call('GET', '/v1/user/token', { token: stranger.token }))[0]
      const answers = []
      for (const id of [theirs.tokenId, UNKNOWN, 'nonsense', '%00', '%ff', 'x'.repeat(300)]) {
        const { path, timestamp, ...body } = refused(await remove(id), 'token_not_found')
        answers.push(JSON.stringify(body))
      }
      assert.equal(new Set(answers).size, 1)
      assert.equal(await use(stranger.token), 200, 'the foreign one lives')
    })

    it('hides tokens of other workspaces, and unbound ones, from a bound token', async () => {
      const bound = await make({ workspaceId: t.workspaceId })
      const unbound = await make()
      refused(await remove(unbound.tokenId, bound.token), 'token_not_found')
      assert.equal(await use(unbound.token), 200)
    })
  })

  it('400: takes no query', async () => {
    const { tokenId } = await make()
    refused(await t.call('DELETE', `/v1/user/token/${tokenId}?x=1`), 'invalid_parameter')
  })
})
