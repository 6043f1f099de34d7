import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../test/test-app.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
} from '../../test/test-context.ts'
import { newAccessToken } from '../auth/access-token.ts'
import { SCOPES } from '../auth/scopes.ts'

describe('GET /v1/user', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const get = async (token?: string) =>
    expectOk(await t.call('GET', '/v1/user', token === undefined ? {} : { token }))

  describe('200', () => {
    it('has exactly the fields of the interface, capital W included', async () => {
      const user = await get()
      const fields = ['userId', 'createdAt', 'updatedAt', 'firstname', 'lastname', 'email']
      expectKeys(user, [...fields, 'Workspace'])
      assert.match(user.userId, /^usr_[0-9a-z]{26}$/)
      assert.match(user.createdAt, ISO_TIMESTAMP)
      assert.equal(user.updatedAt, user.createdAt)
      const { firstname, lastname, email } = user
      assert.deepEqual([firstname, lastname, email], ['', '', 'owner@localhost'])
    })

    it('shows workspaces with exactly the fields of the interface', async () => {
      const { userId, Workspace } = await get()
      assert.equal(Workspace.length, 1)
      const { workspaceId, slug, ...rest } = Workspace[0]
      assert.match(workspaceId, /^wsp_[0-9a-z]{26}$/)
      assert.match(slug, /^workspace-[0-9a-z]{6}$/)
      assert.deepEqual(rest, {
        userId,
        initialSetupComplete: true,
        anonymousDataCollection: false,
        deleted: null,
      })
    })

    it('shows every workspace of the user, oldest first, and a bound token only its own', async () => {
      const { userId, token } = await t.otherUser()
      const second = expectCreated(
        await t.call('POST', '/v1/workspace', { body: {}, token }),
      ).workspaceId
      const mint = await t.call('POST', '/v1/user/token', {
        body: { name: 'bound', workspaceId: second },
        token,
      })
      const ids = async (accessToken: string) =>
        (await get(accessToken)).Workspace.map((one: { workspaceId: string }) => one.workspaceId)
      const all = await ids(token)
      assert.equal(all.length, 2)
      assert.equal(all[1], second)
      assert.deepEqual(await ids(expectCreated(mint).token), [second])
      assert.equal((await get(token)).userId, userId)
      assert.ok(!(await ids(t.token)).includes(second), 'nobody else sees it')
    })

    it('takes any live token, whatever its scope', async () => {
      for (const scope of SCOPES)
        assert.equal((await get(await t.createToken({ scopes: [scope] }))).email, 'owner@localhost')
    })

    it('knows the scheme in any letter case', async () => {
      const headers = { authorization: `bEaReR  ${t.token} ` }
      expectOk(await t.call('GET', '/v1/user', { token: null, headers }))
    })
  })

  describe('401', () => {
    it('tells a missing token from one that is not valid', async () => {
      expectError(await t.call('GET', '/v1/user', { token: null }), 'token_missing')
    })

    it('tells malformed, unknown, expired and revoked tokens alike', async () => {
      const revoked = expectCreated(await t.call('POST', '/v1/user/token', { body: { name: 'x' } }))
      await t.call('DELETE', `/v1/user/token/${revoked.tokenId}`)
      const values = [
        ...['', 'Bearer', 'Bearer ', 'Bearer x y', `Basic ${t.token}`, t.token, `Bearer${t.token}`],
        ...[`Bearer ${newAccessToken()}`, `Bearer ${revoked.token}`, `Bearer ${t.token}x`],
        ...[`Bearer ${t.token}, Bearer ${t.token}`, `Bearer ${t.token.toUpperCase()}`],
      ]
      const messages = new Set<string>()
      for (const authorization of values) {
        const response = await t.call('GET', '/v1/user', {
          token: null,
          headers: { authorization },
        })
        messages.add(expectError(response, 'token_invalid').message)
      }
      assert.equal(messages.size, 1)
    })
  })

  describe('400', () => {
    for (const query of ['x=1', 'workspaceId=a', 'toString=1', '__proto__=1', 'constructor=1'])
      it(`refuses the unknown query name of ?${query} and names it`, async () => {
        const body = expectError(await t.call('GET', `/v1/user?${query}`), 'invalid_parameter')
        assert.deepEqual(Object.keys(body.errors), [query.split('=')[0]])
      })
  })
})
