import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { created, fine, hasKeys, ISO, refused } from '../../test/fixtures.ts'
import { type TestApp, testApp } from '../../test/test-app.ts'
import { newAccessToken } from '../caller/access-token.ts'
import { SCOPES } from '../caller/scopes.ts'

describe('GET /v1/user', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const get = async (token?: string) =>
    fine(await t.call('GET', '/v1/user', token === undefined ? {} : { token }))

  describe('200', () => {
    it('has exactly the fields of the interface, capital W included', async () => {
      const user = await get()
      const fields = ['userId', 'createdAt', 'updatedAt', 'firstname', 'lastname', 'email']
      hasKeys(user, [...fields, 'Workspace'])
      assert.match(user.userId, /^usr_[0-9a-z]{26}$/)
      assert.match(user.createdAt, ISO)
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
      const { userId, token } = await t.stranger()
      const second = created(await t.call('POST', '/v1/workspace', { body: {}, token })).workspaceId
      const mint = await t.call('POST', '/v1/user/token', {
        body: { name: 'bound', workspaceId: second },
        token,
      })
      const ids = async (given: string) =>
        (await get(given)).Workspace.map((one: { workspaceId: string }) => one.workspaceId)
      const all = await ids(token)
      assert.equal(all.length, 2)
      assert.equal(all[1], second)
      assert.deepEqual(await ids(created(mint).token), [second])
      assert.equal((await get(token)).userId, userId)
      assert.ok(!(await ids(t.token)).includes(second), 'nobody else sees it')
    })

    it('takes any live token, whatever its scope', async () => {
      for (const scope of SCOPES)
        assert.equal((await get(await t.mint({ scopes: [scope] }))).email, 'owner@localhost')
    })

    it('knows the scheme in any letter case', async () => {
      const headers = { authorization: `bEaReR  ${t.token} ` }
      fine(await t.call('GET', '/v1/user', { token: null, headers }))
    })
  })

  describe('401', () => {
    it('tells a missing token from one that is not valid', async () => {
      refused(await t.call('GET', '/v1/user', { token: null }), 'token_missing')
    })

    it('tells malformed, unknown, expired and revoked tokens alike', async () => {
      const revoked = created(await t.call('POST', '/v1/user/token', { body: { name: 'x' } }))
      await t.call('DELETE', `/v1/user/token/${revoked.tokenId}`)
      const values = [
        ...['', 'Bearer', 'Bearer ', 'Bearer x y', `Basic ${t.token}`, t.token, `Bearer${t.token}`],
        ...[`Bearer ${newAccessToken()}`, `Bearer ${revoked.token}`, `Bearer ${t.token}x`],
        ...[`Bearer ${t.token}, Bearer ${t.token}`, `Bearer ${t.token.toUpperCase()}`],
      ]
      const told = new Set<string>()
      for (const authorization of values) {
        const answer = await t.call('GET', '/v1/user', { token: null, headers: { authorization } })
        told.add(refused(answer, 'token_invalid').message)
      }
      assert.equal(told.size, 1)
    })
  })

  describe('400', () => {
    for (const query of ['x=1', 'workspaceId=a', 'toString=1', '__proto__=1', 'constructor=1'])
      it(`refuses the unknown query name of ?${query} and names it`, async () => {
        const body = refused(await t.call('GET', `/v1/user?${query}`), 'invalid_parameter')
        assert.deepEqual(Object.keys(body.errors), [query.split('=')[0]])
      })
  })
})
