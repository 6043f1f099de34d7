import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import {
  HOST_ORIGIN,
  type PageTestContext,
  RETURN_URL,
  toFramePath,
} from '../test/page-test-context.ts'
import { getVisibleText } from '../test/test-visitor.ts'

const KEY_ONLY = {
  auth_specification: {
    Token: { input_specification: { type: 'object', properties: { token: { type: 'string' } } } },
  },
}

describe('GET /link/{linkId}', () => {
  let t: PageTestContext
  let now = Date.now()
  let deskId: string
  let notesId: string

  before(async () => {
    t = await testContext({ pages: true, now: () => now })
    deskId = (await t.createDefinition({ name: 'Desk' })).integrationDefinitionId
    await registerOAuthApp(t, { integrationDefinitionId: deskId })
    const code = createMiniBundle(KEY_ONLY)
    const created = await t.createDefinition({
      name: 'Notes',
      integrationType: 'DOCUMENTATION',
      code,
    })
    notesId = String(created.integrationDefinitionId)
  })
  after(() => t.close())

  it('lists the allowed integrations by name, with the workspace in the title', async () => {
    const page = await t.visitor().get(await t.link())
    assert.equal(page.status, 200)
    assert.equal(page.state, 'picker')
    assert.match(getVisibleText(page), /Connect your tools to Acme .*Desk.*Notes/)
    assert.match(page.plain, /href="\/link\/lnk_\w+\?integration=desk"/)
  })

  it('shows a workspace without a name as "this app", never under the name of its link', async () => {
    const rename = (name: string) =>
      t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { name } })
    expectOk(await rename(''))
    const path = await t.link({ linkName: 'Connect your desk', integrationDefinitionId: notesId })
    const english = getVisibleText(await t.visitor().get(path))
    const german = getVisibleText(await t.visitor().get(`${path}?lang=de`))
    expectOk(await rename('Acme'))
    assert.match(english, /^ T No Connect Notes to this app.*This app will be able to do/s)
    assert.match(german, /Notes für diese App verbinden.*Diese App kann dann in/s)
    assert.doesNotMatch(english, /Connect your desk/)
  })

  it('skips the list with a single integration and the choice with a single auth method', async () => {
    const only = await t.visitor().get(await t.link({ integrationDefinitionId: notesId }))
    assert.equal(only.state, 'form')
    const byKey = await t.visitor().get(`${await t.link()}?integrationKeys=notes`)
    assert.equal(byKey.state, 'form')
    assert.doesNotMatch(byKey.text, /data-back/)
    const withBack = await t.visitor().get(`${await t.link()}?integration=notes`)
    assert.equal(withBack.state, 'form')
    assert.match(withBack.text, /data-back/)
  })

  it("has the workspace's name once above the first field, but for the warning of a custom tool", async () => {
    const page = await t.visitor().get(await t.link({ integrationDefinitionId: notesId }))
    const text = getVisibleText({
      ...page,
      text: page.text.replace(/<div class="notice.*?<\/div>/s, ''),
    })
    assert.match(text, /^ A No Connect Notes to Acme Token/)
    const list = await t.visitor().get(await t.link())
    assert.match(list.text, /class="brand"/)
  })

  it('opens the sign-in of a tool, with a link to its other auth method', async () => {
    const path = await t.link()
    const page = await t.visitor().get(`${path}?integration=desk`)
    assert.equal(page.state, 'signIn')
    assert.match(
      getVisibleText(page),
      /sign in at provider\.example.*Continue to Desk Use an API key You can disconnect/,
    )
    const [, href = ''] = /<a href="([^"]*)"[^>]*data-auth="Api Key"/.exec(page.plain) ?? []
    const other = await t.visitor().get(href)
    assert.equal(other.state, 'form')
    assert.doesNotMatch(other.text, /class="alternatives"/)
    assert.match(other.plain, /href="[^"]*integration=desk"[^>]*data-back/)
    const form = await t.visitor().get(`${path}?integration=desk&auth=Api+Key`)
    assert.equal(form.state, 'form')
    const signIn = await t.visitor().get(`${path}?integration=desk&auth=OAuth2`)
    assert.equal(signIn.state, 'signIn')
    assert.match(getVisibleText(signIn), /Connect Desk to Acme.*provider\.example/)
  })

  it('offers only sign-in for a link with preferOAuth', async () => {
    const path = await t.link({ preferOAuth: true })
    const page = await t.visitor().get(path)
    assert.equal(page.state, 'signIn')
    assert.doesNotMatch(page.text, /Notes/)
    const other = await t.visitor().get(`${path}?integration=desk&auth=Api+Key`)
    assert.equal(other.state, 'signIn')
  })

  it('explains why no integration is offered', async () => {
    const getReasonCode = async (path: string) => {
      const page = await t.visitor().get(path)
      assert.equal(page.status, 200)
      assert.equal(page.state, 'pickerEmpty')
      return page.getData('data-code')
    }
    assert.equal(await getReasonCode(await t.link({ category: ['CRM'] })), 'none_in_workspace')
    assert.equal(
      await getReasonCode(`${await t.link()}?integrationKeys=hubspot`),
      'none_match_keys',
    )
    const keys = { preferOAuth: true, integrationDefinitionId: notesId }
    assert.equal(await getReasonCode(await t.link(keys)), 'none_with_sign_in')
    const bareDefinitionId = String(
      (await t.createDefinition({ name: 'Bare' })).integrationDefinitionId,
    )
    const missing = { preferOAuth: true, integrationDefinitionId: bareDefinitionId }
    assert.equal(await getReasonCode(await t.link(missing)), 'app_missing')
    expectOk(await t.call('DELETE', `/v1/integration_definition/${bareDefinitionId}`))
  })

  it('says that the requested integration is not set up yet', async () => {
    const spec = { auth_specification: { OAuth2: MINI_SPEC.auth_specification.OAuth2 } }
    const created = await t.createDefinition({ name: 'Only', code: createMiniBundle(spec) })
    const path = await t.link()
    assert.doesNotMatch((await t.visitor().get(path)).plain, /integration=only/)
    const page = await t.visitor().get(`${path}?integration=only`)
    assert.equal(page.state, 'pickerEmpty')
    assert.equal(page.getData('data-code'), 'app_missing')
    assert.match(getVisibleText(page), /Only isn't set up yet.*Choose another tool/)
    expectOk(
      await t.call('DELETE', `/v1/integration_definition/${created.integrationDefinitionId}`),
    )
  })

  it('searches and filters without a script', async () => {
    const path = await t.link()
    const found = await t.visitor().get(`${path}?q=n%C3%B3te`)
    assert.equal(found.state, 'picker')
    assert.doesNotMatch(found.plain, /integration=desk/)
    const category = await t.visitor().get(`${path}?category=DOCUMENTATION`)
    assert.doesNotMatch(category.plain, /integration=desk/)
    assert.match(category.plain, /integration=notes/)
    const none = await t.visitor().get(`${path}?q=zzz`)
    assert.equal(none.state, 'noMatch')
    assert.match(getVisibleText(none), /No tool matches “zzz”.*Show all tools/)
  })

  it('distinguishes expired and revoked links', async () => {
    const path = await t.link({ expiresIn: 60 })
    now += 61_000
    const expired = await t.visitor().get(path)
    assert.equal(expired.status, 410)
    assert.equal(expired.state, 'expired')
    assert.match(getVisibleText(expired), /expired on \d+ \w+ 20\d\d.*Ask Acme/)
    const revoked = await t.link()
    expectOk(await t.call('DELETE', `/v1${revoked}`))
    const page = await t.visitor().get(revoked)
    assert.equal(page.status, 410)
    assert.equal(page.state, 'revoked')
  })

  it('shows the same page for unknown and malformed link IDs', async () => {
    const path = await t.link()
    const getBodyWithoutNonce = async (url: string) => {
      const { status, text, headers } = await t.visitor().get(url)
      assert.equal(headers.get('set-cookie'), null)
      assert.equal(status, 404)
      const [normalized] = [text, headers.get('content-security-policy')].map((one) =>
        one?.replaceAll(/nonce[-=]"?[\w-]{22}"?/g, ''),
      )
      return normalized
    }
    const unknown = await getBodyWithoutNonce(
      path.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    )
    for (const url of [
      '/link/lnk_short',
      '/link/%ff',
      '/link/',
      '/link/a/b/c',
      `${path}x`,
      `${path}?${'q'.repeat(4_200)}`,
    ])
      assert.equal(await getBodyWithoutNonce(url), unknown, url)
    assert.match(unknown ?? '', /We can(?:'|&#39;)t find this link/)
  })

  it('accepts only redirect URLs on the allowlist of the link or workspace', async () => {
    const path = await t.link()
    const page = await t.visitor().get(`${path}?redirectURL=${encodeURIComponent(RETURN_URL)}`)
    assert.equal(page.state, 'picker')
    const exitUrl = /<a href="([^"]*)"[^>]*data-exit/.exec(page.plain)?.[1]
    assert.equal(
      exitUrl,
      `${RETURN_URL}&success=false&error=cancelled&linkId=${path.slice('/link/'.length)}`,
    )
    for (const url of [
      'https://evil.example',
      `${RETURN_URL}x`,
      'javascript:alert(1)',
      '//evil.example',
    ]) {
      const rejectedPage = await t.visitor().get(`${path}?redirectURL=${encodeURIComponent(url)}`)
      assert.equal(rejectedPage.status, 400)
      assert.equal(rejectedPage.state, 'redirectNotAllowed')
      assert.doesNotMatch(rejectedPage.text, /evil|alert/)
    }
  })

  it('rejects a malformed accountIdentifier', async () => {
    const path = await t.link()
    for (const invalidIdentifier of [
      '%ff',
      'a'.repeat(300),
      'a%00b',
      'a%0Db',
      'a%0d%0ab',
      'a%09',
      '%ED%A0%80',
    ]) {
      const page = await t.visitor().get(`${path}?accountIdentifier=${invalidIdentifier}`)
      assert.deepEqual([page.status, page.state], [400, 'wrongAddress'], invalidIdentifier)
      assert.match(getVisibleText(page), /This link isn't valid/)
    }
  })

  it('uses the language of the URL, else of the browser', async () => {
    const path = await t.link()
    const arabic = await t.visitor().get(`${path}?lang=ar&theme=dark`)
    assert.match(arabic.text, /<html lang="ar" dir="rtl" data-theme="dark">/)
    assert.match(
      arabic.plain,
      /href="[^"]*lang=ar[^"]*integration=desk|integration=desk[^"]*lang=ar/,
    )
    const german = await t.visitor().get(path, { 'accept-language': 'de-AT,en;q=0.5' })
    assert.match(german.text, /<html lang="de"/)
  })

  it('writes nothing to the database and sends all security headers', async () => {
    const path = await t.link()
    const page = await t.visitor().get(path)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'nonce-[\w-]{22}'; /)
    assert.match(policy, /frame-ancestors 'none'$/)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(page.headers.get('cross-origin-opener-policy'), 'same-origin-allow-popups')
    assert.equal(page.headers.get('cross-origin-resource-policy'), 'same-origin')
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const cookie = page.headers.get('set-cookie') ?? ''
    assert.match(
      cookie,
      /^linchpin-visit=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    assert.equal((await t.database.read.selectFrom('submissions').selectAll().execute()).length, 0)
  })
})

describe('GET /link/frame/{linkId}', () => {
  let t: PageTestContext
  before(async () => {
    t = await testContext({ pages: true })
    await t.createDefinition({ name: 'Desk' })
    await t.createDefinition({ name: 'Notes' })
  })
  after(() => t.close())

  it("may be framed by the workspace's origins, and needs no cookie", async () => {
    const page = await t.visitor().get(toFramePath(await t.link()))
    assert.equal(page.status, 200)
    assert.equal(page.state, 'picker')
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /frame-ancestors https:\/\/app\.example\.com$/,
    )
    assert.equal(page.headers.get('x-frame-options'), null)
    assert.equal(page.headers.get('set-cookie'), null)
    assert.equal(page.getData('data-origins'), HOST_ORIGIN)
    assert.match(page.text, /<body data-mode="frame">/)
    assert.match(page.text, /<button type="button"[^>]*data-exit[^>]*hidden/)
  })

  it("keeps its session through the script's header, masked differently each time", async () => {
    const path = toFramePath(await t.link())
    const visitor = t.visitor()
    const first = (await visitor.get(path)).getData('data-visit') ?? ''
    const repeatedVisit =
      (await visitor.get(path, { 'x-linchpin-visit': first })).getData('data-visit') ?? ''
    assert.match(first, /^f\.[\w-]{86}$/)
    assert.notEqual(repeatedVisit, first)
    const { unmaskSecret } = await import('../../../platform/http/mask-secret.ts')
    assert.equal(unmaskSecret(repeatedVisit.slice(2)), unmaskSecret(first.slice(2)))
  })

  it('accepts the malformed URLs of old embeds', async () => {
    const id = (await t.link()).slice('/link/'.length)
    for (const url of [
      `/link/frame/${id}/`,
      `//link/frame/${id}`,
      `//link/frame/${id}/?accountIdentifier=user 1&x`,
      `/link/frame/${id}?accountIdentifier=50%&x&q=a&q=b&__proto__=1`,
    ]) {
      const page = await t.visitor().get(`http://localhost:3000${url}`)
      assert.equal(page.status, 200, url)
      assert.ok(['picker', 'noMatch'].includes(page.state ?? ''), url)
    }
  })

  it('is not shown when no origin may frame it', async () => {
    const path = toFramePath(await t.link())
    const settings = (origins: string[]) =>
      t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { allowedFrameOrigins: origins } })
    expectOk(await settings([]))
    const page = await t.visitor().get(path)
    expectOk(await settings([HOST_ORIGIN]))
    assert.equal(page.status, 403)
    assert.equal(page.state, 'notHere')
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'$/)
  })
})
