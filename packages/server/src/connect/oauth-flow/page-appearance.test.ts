import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectOk, testContext } from '../../../test/test-context.ts'
import { getAssetUrl } from '../../platform/ui/assets.ts'
import { BASE_URL } from './test/browser.ts'
import type { StubProviderContext } from './test/stub-provider-context.ts'

describe('the pages of the OAuth flow', () => {
  let t: StubProviderContext
  before(async () => {
    t = await testContext({ provider: true })
    const theme = {
      accentColor: '#b3005e',
      privacyUrl: 'https://north.example/privacy',
      termsUrl: 'https://north.example/terms',
    }
    expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { theme } }))
  })
  after(() => t.close())

  const getPage = async (url: string, headers: Record<string, string> = {}): Promise<string> =>
    (await t.app.inject({ url: url.replace(BASE_URL, ''), headers })).body

  it('use the accent color of the workspace and link to its pages', async () => {
    const text = await getPage(await t.start())
    for (const part of ['--light-fill:#b3005e', 'north.example/privacy', 'north.example/terms'])
      assert.ok(text.includes(part), part)
    assert.ok(text.includes(`href="${getAssetUrl('page.css')}"`))
  })

  it("load only the service's style sheet and icon", async () => {
    const text = await getPage(await t.start())
    const loaded = [...text.matchAll(/<(?:link|img|script)[^>]*(?:href|src)="([^"]*)"/g)]
    assert.ok(loaded.length >= 2)
    for (const [, url] of loaded) {
      assert.match(url ?? '', /^\/assets\//)
      assert.equal((await t.app.inject(url ?? '')).statusCode, 200)
    }
  })

  it('use the language of the URL, else of the browser', async () => {
    const url = await t.start()
    const german = await getPage(url, { 'accept-language': 'de-CH, en;q=0.5' })
    assert.match(german, /<html lang="de" dir="ltr">/)
    assert.match(german, /<bdi>Stub<\/bdi> für <bdi>North<\/bdi> verbinden/)
    const arabic = await getPage(`${url}?lang=ar&theme=dark`, { 'accept-language': 'de' })
    assert.match(arabic, /<html lang="ar" dir="rtl" data-theme="dark">/)
    assert.match(arabic, /أنشأت <bdi>North<\/bdi>/)
  })

  it('use that language for errors too', async () => {
    const unknown = await getPage('/oauth/connect/x', { 'accept-language': 'ja' })
    assert.match(unknown, /data-state="notKnown"/)
    assert.match(unknown, /このページの有効期限が切れました/)
    const latePage = await getPage('/api/v1/oauth/callback?state=x&code=y', {
      'accept-language': 'es',
    })
    assert.match(latePage, /Esta página ha caducado/)
    const directoryPage = await getPage('/api/v1/oauth/callback?code=y', {
      'accept-language': 'de',
    })
    assert.match(directoryPage, /Diese Anmeldung muss anderswo beginnen/)
  })
})
