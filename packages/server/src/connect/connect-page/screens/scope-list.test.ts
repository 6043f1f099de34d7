import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import { getTagSkeleton, HOSTILE } from '../test/hostile-texts.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import { getVisibleText } from '../test/test-visitor.ts'

const { OAuth2 } = MINI_SPEC.auth_specification
const LABELS = { read: 'Read your notes', write: 'Change your notes', other: 'Never requested' }
const SIGN_IN = {
  ...OAuth2,
  default_scopes: ['openid', 'read', 'offline_access'],
  'x-scope-labels': LABELS,
  'x-i18n': { de: { 'x-scope-labels': { read: 'Ihre Notizen lesen' } } },
}

describe('What a sign-in allows', () => {
  let t: PageTestContext
  before(async () => {
    t = await testContext({ pages: true })
    await rename('Acme')
  })
  after(() => t.close())

  const rename = async (name: string) =>
    expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { name } }))
  const createSignIn = async (auth: object, scopes: readonly string[] = []) => {
    const code = createMiniBundle({ auth_specification: { OAuth2: { ...OAuth2, ...auth } } })
    const { integrationDefinitionId: id } = await t.createDefinition({
      name: `Notes ${crypto.randomUUID()}`,
      code,
    })
    const app = await registerOAuthApp(t, { integrationDefinitionId: String(id), scopes })
    return { path: await t.link({ integrationDefinitionId: id }), app }
  }
  const load = async (path: string, language = 'en') => {
    const page = await t.visitor().get(`${path}?lang=${language}`)
    assert.equal(page.state, 'signIn')
    return page
  }
  const listLabels = async (path: string, language?: string) => {
    const { plain } = await load(path, language)
    return [...plain.matchAll(/<li><bdi>(.*?)<\/bdi><\/li>/g)].map(([, label]) => label)
  }

  it('is listed before sign-in, in the language of the page, else in that of the spec', async () => {
    const { path } = await createSignIn(SIGN_IN)
    assert.deepEqual(await listLabels(path), ['Read your notes'])
    assert.match(getVisibleText(await load(path)), /Acme will be able to: Read your notes/)
    assert.deepEqual(await listLabels(path, 'de'), ['Ihre Notizen lesen'])
    assert.deepEqual(await listLabels(path, 'ar'), ['Read your notes'])
  })

  it('contains the scopes of the OAuth app, by name without a label, and follows its changes', async () => {
    const { path, app } = await createSignIn(SIGN_IN, ['write', 'read', 'admin:all'])
    const labels = ['Read your notes', 'Change your notes', 'admin:all']
    assert.deepEqual(await listLabels(path), labels)
    const body = { scopes: [] }
    expectOk(await t.call('POST', `/v1/integration_oauth/${app.integrationOAuthAppId}`, { body }))
    assert.deepEqual(await listLabels(path), ['Read your notes'])
  })

  it('omits scopes of the protocol, unless they have a label', async () => {
    const default_scopes = ['openid', 'offline_access', 'refresh_token']
    const { path } = await createSignIn({ default_scopes })
    assert.deepEqual(await listLabels(path), [])
    assert.doesNotMatch((await load(path)).text, /class="scopes"/)
    const labelled = await createSignIn({
      default_scopes,
      'x-scope-labels': { openid: 'Know you' },
    })
    assert.deepEqual(await listLabels(labelled.path), ['Know you'])
  })

  it('folds the rest of more than ten labels, and lists a label once', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `scope ${at}`)
    const twice = { 'scope 0': 'Read', 'scope 1': 'Read' }
    const { path } = await createSignIn({
      default_scopes: names,
      scope_separator: ',',
      'x-scope-labels': twice,
    })
    assert.deepEqual(await listLabels(path), ['Read', ...names.slice(2)])
    const { plain } = await load(path)
    assert.match(plain, /<details><summary>3 more<\/summary><ul role="list"><li><bdi>scope 9</)
  })

  it('is absent for a spec without scopes', async () => {
    const { path } = await createSignIn({})
    assert.doesNotMatch((await load(path)).text, /class="scopes"/)
  })

  it('escapes hostile labels, translations and names', async () => {
    const texts = HOSTILE.filter((text) => text.trim() !== '' && text.length <= 200)
    for (const language of ['en', 'de']) {
      const skeletons = new Set<string>()
      for (const text of ['Plain words', ...texts.slice(0, 12)]) {
        const { path } = await createSignIn({
          default_scopes: ['a', 'b', 'constructor'],
          'x-scope-labels': { a: text },
          'x-i18n': { de: { 'x-scope-labels': { a: text } } },
        })
        const { text: html } = await load(path, language)
        const list = html.slice(html.indexOf('<div class="scopes"'), html.indexOf('<form'))
        skeletons.add(JSON.stringify(getTagSkeleton(list)))
      }
      assert.equal(skeletons.size, 1)
    }
  })
})
