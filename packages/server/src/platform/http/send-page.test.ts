import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { compressPages, generateNonce, type PagePermissions, sendPage } from './send-page.ts'

describe('sendPage', () => {
  it('blocks scripts and framing by default', async () => {
    const { headers } = await sendTestPage({})
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self' https: http://localhost:* http://127.0.0.1:*; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
    )
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin-allow-popups')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['cache-control'], 'no-store')
  })

  it('allows only styles and scripts with the nonce', async () => {
    const nonce = generateNonce()
    const policy = String((await sendTestPage({ nonce })).headers['content-security-policy'])
    assert.ok(policy.includes(`script-src 'nonce-${nonce}';`))
    assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}';`))
    assert.ok(policy.includes("connect-src 'self';"))
    assert.notEqual(generateNonce(), nonce)
    const withoutScripts = await sendTestPage({ nonce, allowsScripts: false })
    assert.doesNotMatch(
      String(withoutScripts.headers['content-security-policy']),
      /script-src|connect-src/,
    )
  })

  it('allows framing by the listed origins only', async () => {
    const frameAncestors = ['https://app.acme.example', 'http://127.0.0.1:3000']
    const { headers } = await sendTestPage({ frameAncestors })
    assert.match(
      String(headers['content-security-policy']),
      /frame-ancestors https:\/\/app\.acme\.example http:\/\/127\.0\.0\.1:3000$/,
    )
    assert.equal(headers['x-frame-options'], undefined)
    assert.equal(headers['cross-origin-opener-policy'], undefined)
    // Cross-origin isolated hosts load no other frames.
    assert.equal(headers['cross-origin-embedder-policy'], 'require-corp')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  })

  it('allows forms to the listed origins, and to nothing malformed', async () => {
    const formOrigins = [
      'http://10.0.0.5:8080',
      '*',
      'http:',
      "'unsafe-inline'",
      'http://a; script-src *',
    ]
    const policy = String((await sendTestPage({ formOrigins })).headers['content-security-policy'])
    const expected = "'self' https: http://localhost:* http://127.0.0.1:* http://10.0.0.5:8080"
    assert.equal(/form-action ([^;]*);/.exec(policy)?.[1], expected)
  })

  it('allows forms to our own origin only with sameOriginOnly', async () => {
    const permissions = { sameOriginOnly: true, formOrigins: ['http://10.0.0.5:8080'] }
    const policy = String((await sendTestPage(permissions)).headers['content-security-policy'])
    assert.equal(/form-action ([^;]*);/.exec(policy)?.[1], "'self'")
  })

  it('ignores origins that would widen or end the directive', async () => {
    for (const invalidOrigin of [
      '*',
      'https:',
      'https://*.acme.example',
      "'self'",
      'https://a.example; script-src *',
      'https://a.example/x',
      'data:',
    ])
      assert.match(
        String(
          (await sendTestPage({ frameAncestors: [invalidOrigin] })).headers[
            'content-security-policy'
          ],
        ),
        /frame-ancestors 'none'$/,
        invalidOrigin,
      )
  })

  it('compresses the page where the plugin enables it', async () => {
    const app = Fastify()
    await compressPages(app)
    app.get('/', (_request, reply) => sendPage(reply, 200, 'x'.repeat(5_000)))
    const compressed = await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip, br' } })
    assert.equal(compressed.headers['content-encoding'], 'br')
    assert.ok(compressed.rawPayload.length < 500)
    assert.equal((await app.inject('/')).headers['content-encoding'], undefined)
    await app.close()
  })
})

async function sendTestPage(permissions: PagePermissions) {
  const app = Fastify()
  app.get('/', (_request, reply) => sendPage(reply, 200, 'x', permissions))
  const response = await app.inject('/')
  await app.close()
  return response
}
