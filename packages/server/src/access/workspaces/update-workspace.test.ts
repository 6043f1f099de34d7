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

const UNKNOWN = 'wsp_01m7yye6z6e6m8f814qshnwdjc'

describe('POST /v1/workspace/{workspaceId}', () => {
  let t: TestApp
  let time = Date.now()
  before(async () => {
    t = await testApp({ now: () => time })
  })
  after(() => t.close())

  const post = (id: string, body: unknown, token?: string) =>
    t.call('POST', `/v1/workspace/${id}`, token === undefined ? { body } : { body, token })
  const createWorkspace = async () =>
    expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))

  itRequiresScope(() => t, 'POST', `/v1/workspace/${UNKNOWN}`, {
    scope: 'workspace:write',
    body: {},
  })

  describe('200', () => {
    it('POST /v1/workspace/{workspaceId}: 200 changes the given settings, keeps the others, and sets updatedAt', async () => {
      const before = await createWorkspace()
      const id = before.workspaceId
      time += 5_000
      const theme = { accentColor: '#3366ff', logoUrl: 'https://example.com/logo.png' }
      const first = expectOk(await post(id, { name: 'Acme', theme }))
      assert.deepEqual(first, {
        ...before,
        name: 'Acme',
        theme,
        updatedAt: new Date(time).toISOString(),
      })
      const urls = ['https://example.com/done', 'http://localhost:8080/done?x=1']
      const origins = ['https://app.example.com', 'http://localhost:5173']
      const more = { allowedRedirectURLs: urls, allowedFrameOrigins: origins, slug: 'acme' }
      const second = expectOk(await post(id, more))
      assert.deepEqual(second, { ...first, ...more })
      assert.deepEqual(expectOk(await t.call('GET', '/v1/workspace')).at(-1), second)
      assert.deepEqual((await listAuditActions(t, id)).slice(1), [
        'workspace.updated',
        'workspace.updated',
      ])
    })

    it('POST /v1/workspace/{workspaceId}: 200 replaces lists and the theme as a whole; null means omitted', async () => {
      const { workspaceId } = await createWorkspace()
      const one = { theme: { accentColor: '#000000' }, allowedRedirectURLs: ['https://a.example/'] }
      expectOk(await post(workspaceId, one))
      const unchanged = expectOk(
        await post(workspaceId, { theme: null, allowedRedirectURLs: null }),
      )
      assert.deepEqual(
        [unchanged.theme, unchanged.allowedRedirectURLs],
        [one.theme, one.allowedRedirectURLs],
      )
      const changed = expectOk(
        await post(workspaceId, {
          theme: { termsUrl: 'https://a.example/t' },
          allowedRedirectURLs: [],
        }),
      )
      assert.deepEqual(
        [changed.theme, changed.allowedRedirectURLs],
        [{ termsUrl: 'https://a.example/t' }, []],
      )
    })

    it('POST /v1/workspace/{workspaceId}: 200 if the slug is unchanged', async () => {
      const { workspaceId, slug } = await createWorkspace()
      assert.equal(expectOk(await post(workspaceId, { slug })).slug, slug)
    })
  })

  describe('400', () => {
    const withIntroduction = (introduction: object) => ({ theme: { texts: { introduction } } })
    const wrong: [object, string][] = [
      [{ slug: 'No' }, 'slug'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ theme: { accentColor: 'red' } }, 'theme.accentColor'],
      [{ theme: { logoUrl: 'javascript:alert(1)' } }, 'theme.logoUrl'],
      [{ theme: { font: 'Comic Sans' } }, 'theme.font'],
      [{ theme: { showFooter: 'no' } }, 'theme.showFooter'],
      [{ theme: { cornerRadius: 33 } }, 'theme.cornerRadius'],
      [{ theme: { cornerRadius: 1.5 } }, 'theme.cornerRadius'],
      [{ theme: { texts: { title: { default: 'x' } } } }, 'theme.texts.title'],
      [{ theme: { texts: { support: { de: 'x' } } } }, 'theme.texts.support.default'],
      [withIntroduction({ default: 'x'.repeat(301) }), 'theme.texts.introduction.default'],
      [withIntroduction({ default: ' ' }), 'theme.texts.introduction.default'],
      [withIntroduction({ default: 'x', de: 'a\nb' }), 'theme.texts.introduction.de'],
      [withIntroduction({ default: 'x', xx: 'x' }), 'theme.texts.introduction.xx'],
      [{ theme: [] }, 'theme'],
      [{ allowedRedirectURLs: 'https://a.example' }, 'allowedRedirectURLs'],
      [{ allowedRedirectURLs: ['data:text/html,x'] }, 'allowedRedirectURLs.0'],
      [{ allowedRedirectURLs: Array(2).fill('https://a.example') }, 'allowedRedirectURLs'],
      [{ allowedFrameOrigins: ['https://a.example/path'] }, 'allowedFrameOrigins.0'],
      [{ allowedFrameOrigins: ['*'] }, 'allowedFrameOrigins.0'],
      [{ deleted: '2026-01-01T00:00:00.000Z' }, 'deleted'],
      [{ workspaceId: UNKNOWN }, 'workspaceId'],
    ]
    for (const [body, field] of wrong)
      it(`POST /v1/workspace/{workspaceId}: 400 names ${field} for ${JSON.stringify(body).slice(0, 40)}`, async () => {
        const { errors } = expectError(await post(t.workspaceId, body), 'validation_failed')
        assert.deepEqual(Object.keys(errors), [field])
      })

    it('POST /v1/workspace/{workspaceId}: 400 without a body', async () => {
      expectError(await t.call('POST', `/v1/workspace/${t.workspaceId}`), 'malformed_json')
    })
  })

  it('POST /v1/workspace/{workspaceId}: 404 for foreign, unknown and malformed ids alike, and changes nothing', async () => {
    const otherUser = await t.otherUser()
    const otherWorkspace = await createWorkspace()
    const bound = await t.createToken({ workspaceId: t.workspaceId })
    const cases: [string, string?][] = [[otherUser.workspaceId], [UNKNOWN], ['x'], ['%00'], ['%ff']]
    const messages = new Set<string>()
    for (const [id, token] of [...cases, [otherWorkspace.workspaceId, bound] as [string, string]]) {
      const { message, errors } = expectError(
        await post(id, { name: 'stolen' }, token),
        'workspace_not_found',
      )
      messages.add(JSON.stringify([message, errors]))
    }
    assert.equal(messages.size, 1)
    const otherWorkspaces = expectOk(
      await t.call('GET', '/v1/workspace', { token: otherUser.token }),
    )
    assert.equal(otherWorkspaces[0].name, '')
  })

  it('POST /v1/workspace/{workspaceId}: 409 for a slug that another workspace of the user has', async () => {
    const { slug } = await createWorkspace()
    const { errors } = expectError(await post(t.workspaceId, { slug }), 'already_exists')
    assert.deepEqual(Object.keys(errors), ['slug'])
  })
})
