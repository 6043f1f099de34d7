import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
} from '../../../test/test-context.ts'
import { generateAccessToken } from '../auth/access-token.ts'
import { SCOPES } from '../auth/caller.ts'

for (const listens of [false, true])
  describe(`GET /v1/user${listens ? ', answered directly' : ''}`, () => {
    let t: TestApp
    before(async () => {
      t = await testApp({ listens })
    })
    after(() => t.close())

    const get = async (token?: string) =>
      expectOk(await t.call('GET', '/v1/user', token === undefined ? {} : { token }))

    describe('200', () => {
      it('GET /v1/user: 200 with exactly the fields of the interface, including the capital W', async () => {
        const user = await get()
        const fields = ['userId', 'createdAt', 'updatedAt', 'firstname', 'lastname', 'email']
        expectKeys(user, [...fields, 'Workspace'])
        assert.match(user.userId, /^usr_[0-9a-z]{26}$/)
        assert.match(user.createdAt, ISO_TIMESTAMP)
        assert.equal(user.updatedAt, user.createdAt)
        const { firstname, lastname, email } = user
        assert.deepEqual([firstname, lastname, email], ['', '', 'owner@localhost'])
      })

      it('GET /v1/user: 200 workspaces have exactly the fields of the interface', async () => {
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

      it('GET /v1/user: 200 with every workspace of the user, oldest first; for a bound token only its own', async () => {
        const { userId, token } = await t.otherUser()
        const second = expectCreated(
          await t.call('POST', '/v1/workspace', { body: {}, token }),
        ).workspaceId
        const tokenResponse = await t.call('POST', '/v1/user/token', {
          body: { name: 'bound', workspaceId: second },
          token,
        })
        const listWorkspaceIds = async (accessToken: string) =>
          (await get(accessToken)).Workspace.map((one: { workspaceId: string }) => one.workspaceId)
        const all = await listWorkspaceIds(token)
        assert.equal(all.length, 2)
        assert.equal(all[1], second)
        assert.deepEqual(await listWorkspaceIds(expectCreated(tokenResponse).token), [second])
        assert.equal((await get(token)).userId, userId)
        assert.ok(
          !(await listWorkspaceIds(t.token)).includes(second),
          'other users do not see the workspace',
        )
      })

      it('GET /v1/user: 200 for any valid token, whatever its scopes', async () => {
        for (const scope of SCOPES)
          assert.equal(
            (await get(await t.createToken({ scopes: [scope] }))).email,
            'owner@localhost',
          )
      })

      it('GET /v1/user: 200 with the authorization scheme in any letter case', async () => {
        const headers = { authorization: `bEaReR  ${t.token} ` }
        expectOk(await t.call('GET', '/v1/user', { token: null, headers }))
      })
    })

    describe('401', () => {
      it('GET /v1/user: 401 distinguishes a missing token from an invalid one', async () => {
        expectError(await t.call('GET', '/v1/user', { token: null }), 'token_missing')
      })

      it('GET /v1/user: 401 is the same for malformed, unknown, expired and revoked tokens', async () => {
        const revoked = expectCreated(
          await t.call('POST', '/v1/user/token', { body: { name: 'x' } }),
        )
        await t.call('DELETE', `/v1/user/token/${revoked.tokenId}`)
        const values = [
          ...[
            '',
            'Bearer',
            'Bearer ',
            'Bearer x y',
            `Basic ${t.token}`,
            t.token,
            `Bearer${t.token}`,
          ],
          ...[`Bearer ${generateAccessToken()}`, `Bearer ${revoked.token}`, `Bearer ${t.token}x`],
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
        it(`GET /v1/user: 400 names the unknown parameter of ?${query}`, async () => {
          const body = expectError(await t.call('GET', `/v1/user?${query}`), 'invalid_parameter')
          assert.deepEqual(Object.keys(body.errors), [query.split('=')[0]])
        })
    })
  })
