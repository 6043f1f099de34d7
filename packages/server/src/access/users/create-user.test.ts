import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  listAuditActions,
} from '../../../test/test-context.ts'
import { isAccessToken } from '../auth/access-token.ts'
import { SCOPES } from '../auth/caller.ts'

describe('POST /v1/user', () => {
  let t: TestApp
  let count = 0
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const generateEmail = () => `user${++count}@example.com`
  const post = (body: unknown, token?: string) =>
    t.call('POST', '/v1/user', token === undefined ? { body } : { body, token })

  itRequiresScope(() => t, 'POST', '/v1/user', { scope: 'admin', body: { email: 'a@example.com' } })

  describe('201', () => {
    it('POST /v1/user: 201 with the user, one workspace and a token', async () => {
      const email = generateEmail()
      const body = expectCreated(await post({ email, firstname: 'Ada', lastname: null }))
      expectKeys(body, ['user', 'token'])
      assert.ok(isAccessToken(body.token))
      const { firstname, lastname, Workspace } = body.user
      assert.deepEqual([firstname, lastname, body.user.email], ['Ada', '', email])
      assert.equal(Workspace.length, 1)
      assert.deepEqual(await listAuditActions(t, body.user.userId), ['user.created'])
    })

    it('POST /v1/user: 201 the token works for 90 days and has every scope except admin', async () => {
      const { user, token } = expectCreated(await post({ email: generateEmail() }))
      assert.deepEqual(expectOk(await t.call('GET', '/v1/user', { token })), user)
      const [row] = expectOk(await t.call('GET', '/v1/user/token', { token }))
      assert.deepEqual(
        row.scopes.toSorted(),
        SCOPES.filter((scope) => scope !== 'admin').toSorted(),
      )
      const days = (Date.parse(row.expiresAt) - Date.parse(row.createdAt)) / 86_400_000
      assert.equal(days, 90)
      expectError(await post({ email: generateEmail() }, token), 'insufficient_scope')
    })

    it('POST /v1/user: 201 the workspace has its own data key', async () => {
      const before = await countRows(t, 'workspace_keys')
      expectCreated(await post({ email: generateEmail() }))
      assert.equal(await countRows(t, 'workspace_keys'), before + 1)
    })
  })

  describe('400', () => {
    const invalidBodies: [string, unknown, string][] = [
      ['no e-mail', {}, 'email'],
      ['an e-mail of null', { email: null }, 'email'],
      ['an e-mail without @', { email: 'example.com' }, 'email'],
      ['an e-mail with a space', { email: 'a b@example.com' }, 'email'],
      ['an e-mail of 255 characters', { email: `${'a'.repeat(243)}@example.com` }, 'email'],
      ['a number as first name', { email: 'a@example.com', firstname: 1 }, 'firstname'],
      ['a last name of 101', { email: 'a@example.com', lastname: 'x'.repeat(101) }, 'lastname'],
      ['an unknown field', { email: 'a@example.com', isAdmin: true }, 'isAdmin'],
    ]
    for (const [problem, body, field] of invalidBodies)
      it(`POST /v1/user: 400 names ${field} for ${problem}`, async () => {
        const { errors } = expectError(await post(body), 'validation_failed')
        assert.deepEqual(Object.keys(errors), [field])
      })
  })

  describe('403', () => {
    it('POST /v1/user: 403 for an admin token that is bound to a workspace', async () => {
      const bound = await t.createToken({ scopes: ['admin'], workspaceId: t.workspaceId })
      expectError(await post({ email: generateEmail() }, bound), 'insufficient_scope')
    })

    it('POST /v1/user: 403 before the body is validated', async () => {
      const bound = await t.createToken({ scopes: ['admin'], workspaceId: t.workspaceId })
      expectError(await post({ nonsense: 1 }, bound), 'insufficient_scope')
    })
  })

  describe('409', () => {
    it('POST /v1/user: 409 for a taken email in any letter case, and creates nothing', async () => {
      expectCreated(await post({ email: 'Grace@Example.com' }))
      const before = await countRows(t, 'workspaces')
      const { errors } = expectError(await post({ email: 'gRACE@eXAMPLE.COM' }), 'already_exists')
      assert.deepEqual(Object.keys(errors), ['email'])
      assert.equal(await countRows(t, 'workspaces'), before)
    })

    it('POST /v1/user: 409 for all but one of twenty simultaneous requests', async () => {
      const body = { email: generateEmail() }
      const responses = await Promise.all(Array.from({ length: 20 }, () => post(body)))
      const statuses = responses.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [201, ...Array(19).fill(409)])
    })
  })
})
