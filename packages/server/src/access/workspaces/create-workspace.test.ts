import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectKeys,
  listAuditActions,
} from '../../../test/test-context.ts'

describe('POST /v1/workspace', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const post = (body?: unknown, token?: string) =>
    t.call('POST', '/v1/workspace', token === undefined ? { body } : { body, token })

  itRequiresScope(() => t, 'POST', '/v1/workspace', { scope: 'workspace:write', body: {} })

  describe('201', () => {
    it('POST /v1/workspace: 201 without a body; the slug is workspace- and six random characters', async () => {
      const workspace = expectCreated(await post())
      expectKeys(workspace, [
        ...['workspaceId', 'slug', 'userId', 'initialSetupComplete', 'anonymousDataCollection'],
        ...['deleted', 'name', 'theme', 'allowedRedirectURLs', 'allowedFrameOrigins', 'agents'],
        ...['createdAt', 'updatedAt'],
      ])
      assert.match(workspace.slug, /^workspace-[0-9a-z]{6}$/)
      const { name, theme, allowedRedirectURLs, allowedFrameOrigins } = workspace
      assert.deepEqual(
        { name, theme, allowedRedirectURLs, allowedFrameOrigins },
        { name: '', theme: {}, allowedRedirectURLs: [], allowedFrameOrigins: [] },
      )
      assert.deepEqual(
        [workspace.initialSetupComplete, workspace.anonymousDataCollection, workspace.deleted],
        [true, false, null],
      )
      assert.deepEqual(await listAuditActions(t, workspace.workspaceId), ['workspace.created'])
    })

    it('POST /v1/workspace: 201 the workspace has its own data key', async () => {
      const before = await countRows(t, 'workspace_keys')
      expectCreated(await post({ slug: null }))
      assert.equal(await countRows(t, 'workspace_keys'), before + 1)
    })

    for (const slug of ['a', '0', 'acme', 'acme-2', 'a--b', `a${'b'.repeat(62)}c`])
      it(`POST /v1/workspace: 201 for the slug ${slug.slice(0, 12)}`, async () => {
        assert.equal(expectCreated(await post({ slug })).slug, slug)
      })
  })

  describe('400', () => {
    const slugs = ['', '-a', 'a-', 'A', 'a_b', 'a b', 'é', 'a.b', `a${'b'.repeat(64)}`, 'a\n', 1]
    for (const slug of slugs)
      it(`POST /v1/workspace: 400 for the slug ${JSON.stringify(slug).slice(0, 12)}`, async () => {
        const { errors } = expectError(await post({ slug }), 'validation_failed')
        assert.deepEqual(Object.keys(errors), ['slug'])
      })

    it('POST /v1/workspace: 400 for settings, which only the update accepts', async () => {
      const { errors } = expectError(await post({ name: 'Acme' }), 'validation_failed')
      assert.deepEqual(Object.keys(errors), ['name'])
    })
  })

  it('POST /v1/workspace: 403 for a bound token, which could not access the new workspace', async () => {
    const bound = await t.createToken({ workspaceId: t.workspaceId })
    expectError(await post({}, bound), 'workspace_not_accessible')
  })

  describe('409', () => {
    it('POST /v1/workspace: 409 for a slug that the user already has', async () => {
      expectCreated(await post({ slug: 'taken' }))
      const { errors } = expectError(await post({ slug: 'taken' }), 'already_exists')
      assert.deepEqual(Object.keys(errors), ['slug'])
    })

    it('POST /v1/workspace: 201 for a slug of another user', async () => {
      const { token } = await t.otherUser()
      expectCreated(await post({ slug: 'shared' }))
      expectCreated(await post({ slug: 'shared' }, token))
    })
  })
})
