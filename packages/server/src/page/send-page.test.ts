import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { compressPages } from './compress-pages.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'
import { newNonce } from './nonce.ts'
import { type PageRights, sendPage } from './send-page.ts'

describe('a page that is sent', () => {
  it('has no script, and no frame around it, unless it is given them', async () => {
    const { headers } = await sent({})
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' https: http://localhost:* http://127.0.0.1:*; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
    )
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin-allow-popups')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['cache-control'], 'no-store')
  })

  it('runs the styles and scripts of its nonce only', async () => {
    const nonce = newNonce()
    const policy = String((await sent({ nonce })).headers['content-security-policy'])
    assert.ok(policy.includes(`script-src 'nonce-${nonce}';`))
    assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}';`))
    assert.ok(policy.includes("connect-src 'self';"))
    assert.notEqual(newNonce(), nonce)
    const quiet = await sent({ nonce, isScripted: false })
    assert.doesNotMatch(String(quiet.headers['content-security-policy']), /script-src|connect-src/)
  })

  it('may stand in a frame of the origins that are named, and of no other', async () => {
    const frameAncestors = ['https://app.acme.example', 'http://127.0.0.1:3000']
    const { headers } = await sent({ frameAncestors })
    assert.match(
      String(headers['content-security-policy']),
      /frame-ancestors https:\/\/app\.acme\.example http:\/\/127\.0\.0\.1:3000$/,
    )
    assert.equal(headers['x-frame-options'], undefined)
    assert.equal(headers['cross-origin-opener-policy'], undefined)
    // Hosts that isolate themselves hold no other frames.
    assert.equal(headers['cross-origin-embedder-policy'], 'require-corp')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  })

  it('lets a form lead to the origins that are named too, and to nothing odd', async () => {
    const formOrigins = [
      'http://10.0.0.5:8080',
      '*',
      'http:',
      "'unsafe-inline'",
      'http://a; script-src *',
    ]
    const policy = String((await sent({ formOrigins })).headers['content-security-policy'])
    const expected = "'self' https: http://localhost:* http://127.0.0.1:* http://10.0.0.5:8080"
    assert.equal(/form-action ([^;]*);/.exec(policy)?.[1], expected)
  })

  it('lets forms lead to us alone where nobody signs in', async () => {
    const rights = { staysHere: true, formOrigins: ['http://10.0.0.5:8080'] }
    const policy = String((await sent(rights)).headers['content-security-policy'])
    assert.equal(/form-action ([^;]*);/.exec(policy)?.[1], "'self'")
  })

  it('takes no origin that would widen or end its policy', async () => {
    for (const odd of [
      '*',
      'https:',
      'https://*.acme.example',
      "'self'",
      'https://a.example; script-src *',
      'https://a.example/x',
      'data:',
    ])
      assert.match(
        String((await sent({ frameAncestors: [odd] })).headers['content-security-policy']),
        /frame-ancestors 'none'$/,
        odd,
      )
  })

  it('is compressed for those who ask, where its plugin wants it', async () => {
    const app = Fastify()
    await compressPages(app)
    app.get('/', (_request, reply) => sendPage(reply, 200, 'x'.repeat(5_000)))
    const packed = await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip, br' } })
    assert.equal(packed.headers['content-encoding'], 'br')
    assert.ok(packed.rawPayload.length < 500)
    assert.equal((await app.inject('/')).headers['content-encoding'], undefined)
    await app.close()
  })
})

describe('the layout', () => {
  const page = {
    language: 'en',
    nonce: 'abc',
    mode: 'page',
    title: 'T',
    main: html`<p>x</p>`,
  } as const

  it('says its language, direction, theme and state', () => {
    const text = layout({ ...page, language: 'ar', theme: 'dark', data: { 'data-state': 'form' } })
    assert.ok(text.includes('<html lang="ar" dir="rtl" data-theme="dark">'))
    assert.ok(text.includes('<main id="main" class="card" data-state="form">'))
    assert.ok(text.includes('<body data-mode="page">'))
  })

  it('links to the privacy and terms of the workspace, and to no address of another kind', () => {
    const links = { privacy: 'https://a.example/p', terms: 'javascript:alert(1)' }
    const text = layout({ ...page, links })
    assert.ok(text.includes('href="https://a.example/p"'))
    assert.ok(!text.includes('javascript:'))
    assert.ok(!layout({ ...page, links: { privacy: 'data:text/html,x' } }).includes('data:text'))
  })

  it('writes no part of an accent that is not a colour', () => {
    const text = layout({ ...page, accent: '#fff}body{display:none' })
    assert.ok(text.includes('--light-fill:#2f5bd8') && !text.includes('display:none'))
  })
})

async function sent(rights: PageRights) {
  const app = Fastify()
  app.get('/', (_request, reply) => sendPage(reply, 200, 'x', rights))
  const answer = await app.inject('/')
  await app.close()
  return answer
}
