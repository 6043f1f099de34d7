import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
} from '../../../test/test-context.ts'

const UNKNOWN = 'tok_01m7yye6z6e6m8f814qshnwdjc'

describe('DELETE /v1/user/token/{tokenId}', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const createToken = async (body: object = {}, token?: string) =>
    expectCreated(
      await t.call('POST', '/v1/user/token', {
        body: { name: 'x', scopes: ['read', 'tokens'], ...body },
        ...(token === undefined ? {} : { token }),
      }),
    )
  const deleteToken = (tokenId: string, token?: string) =>
    t.call('DELETE', `/v1/user/token/${tokenId}`, token === undefined ? {} : { token })
  const useToken = async (token: string) => (await t.call('GET', '/v1/user', { token })).status

  itRequiresScope(() => t, 'DELETE', `/v1/user/token/${UNKNOWN}`, { scope: 'tokens' })

  describe('200', () => {
    it('DELETE /v1/user/token/{tokenId}: 200 revokes the token immediately', async () => {
      const { token, tokenId } = await createToken()
      assert.equal(await useToken(token), 200)
      const deletedToken = expectOk(await deleteToken(tokenId))
      assert.equal(deletedToken.tokenId, tokenId)
      assert.notEqual(deletedToken.revokedAt, null)
      expectError(await t.call('GET', '/v1/user', { token }), 'token_invalid')
      assert.deepEqual(await listAuditActions(t, tokenId), ['token.created', 'token.revoked'])
    })

    it('DELETE /v1/user/token/{tokenId}: 200 repeated calls return the same, with one audit event', async () => {
      const { tokenId } = await createToken()
      const first = expectOk(await deleteToken(tokenId))
      assert.deepEqual(expectOk(await deleteToken(tokenId)), first)
      assert.deepEqual(await listAuditActions(t, tokenId), ['token.created', 'token.revoked'])
    })

    it('DELETE /v1/user/token/{tokenId}: 200 revokes all descendants of the token, and no others', async () => {
      const parent = await createToken()
      const child = await createToken({}, parent.token)
      const grandchild = await createToken({}, child.token)
      const sibling = await createToken({}, parent.token)
      expectOk(await deleteToken(child.tokenId))
      const all = [parent, child, grandchild, sibling].map(({ token }) => useToken(token))
      assert.deepEqual(await Promise.all(all), [200, 401, 401, 200])
      expectOk(await deleteToken(parent.tokenId))
      assert.deepEqual(
        await Promise.all([useToken(parent.token), useToken(sibling.token)]),
        [401, 401],
      )
    })

    it('DELETE /v1/user/token/{tokenId}: 200 for the token of the request itself', async () => {
      const { token, tokenId } = await createToken()
      expectOk(await deleteToken(tokenId, token))
      assert.equal(await useToken(token), 401)
    })
  })

  describe('403', () => {
    it('DELETE /v1/user/token/{tokenId}: 403 if the caller lacks a part of write that the token has; the reverse is allowed', async () => {
      const parent = await createToken({ scopes: ['write', 'tokens'] })
      const part = await createToken({ scopes: ['links:write', 'tokens'] }, parent.token)
      const other = await createToken({ scopes: ['accounts:write'] }, parent.token)
      for (const { tokenId } of [parent, other])
        expectError(await deleteToken(tokenId, part.token), 'insufficient_scope')
      expectOk(await deleteToken(other.tokenId, parent.token))
    })

    it('DELETE /v1/user/token/{tokenId}: 403 for a token with more scopes than the caller', async () => {
      const wide = await createToken({ scopes: ['read', 'write', 'tokens'] })
      const narrow = await createToken({ scopes: ['read', 'tokens'] }, wide.token)
      expectError(await deleteToken(wide.tokenId, narrow.token), 'insufficient_scope')
      assert.deepEqual([await useToken(wide.token), await useToken(narrow.token)], [200, 200])
    })
  })

  describe('404', () => {
    it('DELETE /v1/user/token/{tokenId}: 404 for foreign, unknown and malformed ids alike', async () => {
      const otherUser = await t.otherUser()
      const otherToken = expectOk(
        await t.call('GET', '/v1/user/token', { token: otherUser.token }),
      )[0]
      const bodies = []
      for (const id of [otherToken.tokenId, UNKNOWN, 'nonsense', '%00', '%ff', 'x'.repeat(300)]) {
        const { path, timestamp, ...body } = expectError(await deleteToken(id), 'token_not_found')
        bodies.push(JSON.stringify(body))
      }
      assert.equal(new Set(bodies).size, 1)
      assert.equal(await useToken(otherUser.token), 200, 'the token of the other user still works')
    })

    it('DELETE /v1/user/token/{tokenId}: 404 for tokens of other workspaces and unbound tokens if the caller is bound', async () => {
      const bound = await createToken({ workspaceId: t.workspaceId })
      const unbound = await createToken()
      expectError(await deleteToken(unbound.tokenId, bound.token), 'token_not_found')
      assert.equal(await useToken(unbound.token), 200)
    })
  })

  it('DELETE /v1/user/token/{tokenId}: 400 for an unknown query parameter', async () => {
    const { tokenId } = await createToken()
    expectError(await t.call('DELETE', `/v1/user/token/${tokenId}?x=1`), 'invalid_parameter')
  })
})
