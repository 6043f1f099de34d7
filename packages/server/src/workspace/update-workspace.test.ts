import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import { auditOf, created, fine, refused } from '../../test/fixtures.ts'
import { type TestApp, testApp } from '../../test/test-app.ts'

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
  const make = async () => created(await t.call('POST', '/v1/workspace', { body: {} }))

  itGuards(() => t, 'POST', `/v1/workspace/${UNKNOWN}`, { scope: 'workspace:write', body: {} })

  describe('200', () => {
    it('changes what is given, keeps the rest, and moves updatedAt', async () => {
      const before = await make()
      const id = before.workspaceId
      time += 5_000
      const theme = { accentColor: '#3366ff', logoUrl: 'https://example.com/logo.png' }
      const first = fine(await post(id, { name: 'Acme', theme }))
      assert.deepEqual(first, {
        ...before,
        name: 'Acme',
        theme,
        updatedAt: new Date(time).toISOString(),
      })
      const urls = ['https://example.com/done', 'http://localhost:8080/done?x=1']
      const origins = ['https://app.example.com', 'http://localhost:5173']
      const more = { allowedRedirectURLs: urls, allowedFrameOrigins: origins, slug: 'acme' }
      const second = fine(await post(id, more))
      assert.deepEqual(second, { ...first, ...more })
      assert.deepEqual(fine(await t.call('GET', '/v1/workspace')).at(-1), second)
      assert.deepEqual((await auditOf(t, id)).slice(1), ['workspace.updated', 'workspace.updated'])
    })

    it('replaces lists and the theme as a whole; null means absent', async () => {
      const { workspaceId } = await make()
      const one = { theme: { accentColor: '#000000' }, allowedRedirectURLs: ['https://a.example/'] }
      fine(await post(workspaceId, one))
      const kept = fine(await post(workspaceId, { theme: null, allowedRedirectURLs: null }))
      assert.deepEqual([kept.theme, kept.allowedRedirectURLs], [one.theme, one.allowedRedirectURLs])
      const changed = fine(
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

    it('keeps its own slug when that is given again', async () => {
      const { workspaceId, slug } = await make()
      assert.equal(fine(await post(workspaceId, { slug })).slug, slug)
    })
  })

  describe('400', () => {
    const wrong: [object, string][] = [
      [{ slug: 'No' }, 'slug'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ theme: { accentColor: 'red' } }, 'theme.accentColor'],
      [{ theme: { logoUrl: 'javascript:alert(1)' } }, 'theme.logoUrl'],
      [{ theme: { font: 'Comic Sans' } }, 'theme.font'],
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
      it(`names ${field} for ${JSON.stringify(body).slice(0, 40)}`, async () => {
        const { errors } = refused(await post(t.workspaceId, body), 'validation_failed')
        assert.deepEqual(Object.keys(errors), [field])
      })

    it('needs a body', async () => {
      refused(await t.call('POST', `/v1/workspace/${t.workspaceId}`), 'malformed_json')
    })
  })

  it('404: tells foreign, unknown and malformed ids alike, and changes nothing', async () => {
    const stranger = await t.stranger()
    const elsewhere = await make()
    const bound = await t.mint({ workspaceId: t.workspaceId })
    const tries: [string, string?][] = [[stranger.workspaceId], [UNKNOWN], ['x'], ['%00'], ['%ff']]
    const told = new Set<string>()
    for (const [id, token] of [...tries, [elsewhere.workspaceId, bound] as [string, string]]) {
      const { message, errors } = refused(
        await post(id, { name: 'stolen' }, token),
        'workspace_not_found',
      )
      told.add(JSON.stringify([message, errors]))
    }
    assert.equal(told.size, 1)
    const theirs = fine(await t.call('GET', '/v1/workspace', { token: stranger.token }))
    assert.equal(theirs[0].name, '')
  })

  it('409: refuses a slug of another workspace of the user', async () => {
    const { slug } = await make()
    const { errors } = refused(await post(t.workspaceId, { slug }), 'already_exists')
    assert.deepEqual(Object.keys(errors), ['slug'])
  })
})
