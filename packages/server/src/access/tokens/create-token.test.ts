import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import {
  databaseBytes,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
  listAuditActions,
} from '../../../test/test-context.ts'
import { isAccessToken } from '../auth/access-token.ts'
import { listSufficientScopes, SCOPES, WRITE_SCOPES } from '../auth/caller.ts'

const DAY = 24 * 60 * 60 * 1_000

describe('POST /v1/user/token', () => {
  let t: TestApp
  let time = Date.now()
  before(async () => {
    t = await testApp({ now: () => time })
  })
  after(() => t.close())

  const post = (body: unknown, token?: string) =>
    t.call('POST', '/v1/user/token', token === undefined ? { body } : { body, token })

  itRequiresScope(() => t, 'POST', '/v1/user/token', { scope: 'tokens', body: { name: 'x' } })

  describe('201', () => {
    it('POST /v1/user/token: 201 with a well-formed token and exactly the fields of the interface', async () => {
      const body = expectCreated(await post({ name: 'backend' }))
      expectKeys(body, [
        'tokenId',
        'token',
        'name',
        'scopes',
        'workspaceId',
        'integrationAccountIds',
        'expiresAt',
      ])
      assert.match(body.tokenId, /^tok_[0-9a-z]{26}$/)
      assert.ok(isAccessToken(body.token))
      assert.match(body.expiresAt, ISO_TIMESTAMP)
      assert.deepEqual(
        [body.name, body.scopes, body.workspaceId],
        ['backend', ['read', 'write'], null],
      )
      assert.deepEqual(await listAuditActions(t, body.tokenId), ['token.created'])
    })

    it('POST /v1/user/token: 201 expires after 90 days by default', async () => {
      const { expiresAt } = expectCreated(await post({ name: 'x' }))
      assert.equal(Date.parse(expiresAt) - time, 90 * DAY)
      const short = expectCreated(
        await post({ name: 'x', seconds: 60, workspaceId: null, scopes: null }),
      )
      assert.equal(Date.parse(short.expiresAt) - time, 60_000)
    })

    it('POST /v1/user/token: 201 stores only the hash; the database never contains the token', async () => {
      const { token } = expectCreated(await post({ name: 'x' }))
      const hash = createHash('sha256').update(token).digest()
      const bytes = await databaseBytes(t)
      assert.ok(bytes.includes(hash), 'the hash is there')
      assert.ok(!bytes.includes(token.slice(3)), 'the token is not')
    })

    it('POST /v1/user/token: 201 default scopes are those of read and write that the creating token has', async () => {
      const token = await t.createToken({ scopes: ['read', 'tokens'] })
      assert.deepEqual(expectCreated(await post({ name: 'x' }, token)).scopes, ['read'])
    })

    it('POST /v1/user/token: 201 default scopes are parts of write if the creating token has only those', async () => {
      const token = await t.createToken({ scopes: ['read', 'links:write', 'apps:write', 'tokens'] })
      const { scopes } = expectCreated(await post({ name: 'x' }, token))
      assert.deepEqual(scopes, ['read', 'links:write', 'apps:write'])
    })

    it('POST /v1/user/token: 201 write may grant each of its parts, and all parts together may grant write', async () => {
      const fullToken = await t.createToken({ scopes: ['write', 'tokens'] })
      for (const part of WRITE_SCOPES)
        assert.deepEqual(
          expectCreated(await post({ name: 'x', scopes: [part] }, fullToken)).scopes,
          [part],
        )
      const sum = await t.createToken({ scopes: [...WRITE_SCOPES, 'tokens'] })
      const { token, scopes } = expectCreated(await post({ name: 'x', scopes: ['write'] }, sum))
      assert.deepEqual(scopes, ['write'])
      expectCreated(await t.call('POST', '/v1/link', { token, body: { linkName: 'a' } }))
      const limitedToken = await t.createToken({ scopes: [...WRITE_SCOPES.slice(1), 'tokens'] })
      expectError(await post({ name: 'x', scopes: ['write'] }, limitedToken), 'insufficient_scope')
    })

    it('POST /v1/user/token: 201 binds to a workspace; a bound token creates only bound tokens', async () => {
      const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
      const bound = await t.createToken({ workspaceId, scopes: ['read', 'tokens'] })
      assert.equal(expectCreated(await post({ name: 'x' }, bound)).workspaceId, workspaceId)
      const unboundResponse = await post({ name: 'x', workspaceId: t.workspaceId }, bound)
      expectError(unboundResponse, 'workspace_not_accessible')
    })

    it('POST /v1/user/token: 201 expires no later than the creating token', async () => {
      const parent = await t.createToken({ seconds: 100, scopes: ['read', 'tokens'] })
      const child = expectCreated(await post({ name: 'x', seconds: 1_000 }, parent))
      assert.equal(Date.parse(child.expiresAt) - time, 100_000)
      const shorter = expectCreated(await post({ name: 'x', seconds: 5 }, parent))
      assert.equal(Date.parse(shorter.expiresAt) - time, 5_000)
    })

    it('POST /v1/user/token: 201 the token and its descendants work until the exact millisecond of expiry', async () => {
      const parent = await t.createToken({ seconds: 10, scopes: ['read', 'tokens'] })
      const child = expectCreated(
        await post({ name: 'x', scopes: ['read', 'tokens'] }, parent),
      ).token
      const grandchild = expectCreated(await post({ name: 'x' }, child)).token
      const start = time
      const statuses = async () => {
        const responses = [parent, child, grandchild].map((token) =>
          t.call('GET', '/v1/user', { token }),
        )
        return (await Promise.all(responses)).map(({ status }) => status)
      }
      time = start + 9_999
      assert.deepEqual(await statuses(), [200, 200, 200])
      time = start + 10_000
      assert.deepEqual(await statuses(), [401, 401, 401])
    })
  })

  describe('400', () => {
    const wrong: [string, object, string][] = [
      ['no name', {}, 'name'],
      ['an empty name', { name: '' }, 'name'],
      ['a long name', { name: 'x'.repeat(101) }, 'name'],
      ['a name of null', { name: null }, 'name'],
      ['seconds of 0', { name: 'x', seconds: 0 }, 'seconds'],
      ['parts of seconds', { name: 'x', seconds: 1.5 }, 'seconds'],
      ['seconds as text', { name: 'x', seconds: '60' }, 'seconds'],
      ['more than ten years', { name: 'x', seconds: 315_360_001 }, 'seconds'],
      ['no scopes at all', { name: 'x', scopes: [] }, 'scopes'],
      ['an unknown scope', { name: 'x', scopes: ['root'] }, 'scopes.0'],
      ['a scope twice', { name: 'x', scopes: ['read', 'read'] }, 'scopes'],
      ['scopes as text', { name: 'x', scopes: 'read' }, 'scopes'],
      ['an unknown field', { name: 'x', admin: true }, 'admin'],
    ]
    for (const [what, body, field] of wrong)
      it(`POST /v1/user/token: 400 names ${field} for ${what}`, async () => {
        const { errors } = expectError(await post(body), 'validation_failed')
        assert.deepEqual(Object.keys(errors), [field])
      })

    it('POST /v1/user/token: 400 lists every invalid field at once', async () => {
      const { errors } = expectError(await post({ seconds: 0, x: 1 }), 'validation_failed')
      assert.deepEqual(Object.keys(errors).sort(), ['name', 'seconds', 'x'])
    })
  })

  describe('403', () => {
    it('POST /v1/user/token: 403 for each scope that the creating token lacks', async () => {
      for (const missing of SCOPES.filter((scope) => scope !== 'tokens')) {
        // A token has `write` only together with all of its parts.
        const without =
          missing === 'write' ? ['write', 'apps:write'] : listSufficientScopes(missing)
        const token = await t.createToken({
          scopes: SCOPES.filter((scope) => !without.includes(scope)),
        })
        expectError(await post({ name: 'x', scopes: [missing] }, token), 'insufficient_scope')
      }
    })

    it('POST /v1/user/token: 403 if a part of write requests write or another part', async () => {
      const token = await t.createToken({ scopes: ['links:write', 'tokens'] })
      for (const scope of ['write', 'accounts:write']) {
        const { message } = expectError(
          await post({ name: 'x', scopes: [scope] }, token),
          'insufficient_scope',
        )
        assert.match(message, new RegExp(`scope ${scope}`))
      }
    })

    it('POST /v1/user/token: 403 without scopes if the creating token has neither read nor write', async () => {
      const token = await t.createToken({ scopes: ['tokens'] })
      expectError(await post({ name: 'x' }, token), 'insufficient_scope')
    })

    it('POST /v1/user/token: 403 for foreign, unknown and malformed workspaces alike', async () => {
      const { workspaceId } = await t.otherUser()
      const messages = []
      for (const id of [workspaceId, 'wsp_01m7yye6z6e6m8f814qshnwdjc', 'nonsense', ''])
        messages.push(
          expectError(await post({ name: 'x', workspaceId: id }), 'workspace_not_accessible')
            .message,
        )
      assert.equal(new Set(messages).size, 1)
    })
  })

  it('POST /v1/user/token: 401 if the creating token is revoked concurrently', async () => {
    const token = await t.createToken({ scopes: ['tokens', 'read'] })
    const { tokenId } = expectOk(await t.call('GET', '/v1/user/token')).at(-1)
    const [mintResponse] = await Promise.all([
      post({ name: 'race' }, token),
      t.call('DELETE', `/v1/user/token/${tokenId}`),
    ])
    if (mintResponse.status === 201) {
      const lateResponse = await t.call('GET', '/v1/user', { token: mintResponse.body.token })
      expectError(lateResponse, 'token_invalid')
    } else expectError(mintResponse, 'token_invalid')
  })
})
