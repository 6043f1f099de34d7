import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import { type TestApp, testApp } from '../../test/test-app.ts'

let t: TestApp
before(async () => {
  t = await testApp({ catalogue: await loadCatalogue() })
})
after(() => t.close())

const get = (path: string) => t.app.inject({ url: path })

describe('GET /', () => {
  it('200: is a page whose links all lead somewhere, the API reference first', async () => {
    const response = await get('/')
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^text\/html/)
    const targets = [...response.body.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, to]) => `${to}`)
    assert.equal(targets[0], '/docs')
    assert.ok(targets.length >= 8, `${targets.length} links`)
    for (const target of targets) {
      const { statusCode } = await get(target)
      assert.ok([200, 302].includes(statusCode), `${target} answers ${statusCode}`)
    }
  })

  it('names exactly the integrations that only support sign-in', async () => {
    const { body } = await get('/')
    for (const name of ['Salesforce', 'Xero', 'Gmail']) assert.ok(body.includes(name), name)
    // These accept an API key too.
    for (const name of ['GitHub', 'Notion', 'Stripe']) assert.ok(!body.includes(name), name)
  })

  it('names the tool to try first, and what to enter', async () => {
    const { body } = await get('/')
    assert.match(body, /Acme Sandbox<\/b>[\s\S]*<code>good<\/code>/)
  })

  it('contains nothing about tokens or paths on disk, and runs no script', async () => {
    const { body, headers } = await get('/')
    assert.doesNotMatch(body, /token|lp_|data\/|packages|<script/i)
    assert.ok(!body.includes(process.cwd()))
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.doesNotMatch(String(headers['content-security-policy']), /script-src/)
  })
})

describe('GET /guides/{name}.md', () => {
  it('200: is the document as plain text', async () => {
    const response = await get('/guides/oauth.md')
    assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
    assert.match(response.body, /^# /)
  })

  it('404 route_not_found for any other name, path traversal included', async () => {
    for (const name of [
      'nothing.md',
      'README.md',
      '../README.md',
      '..%2FREADME.md',
      'decisions/README.md',
    ]) {
      const response = await get(`/guides/${name}`)
      assert.deepEqual([response.statusCode, response.json().error], [404, 'route_not_found'], name)
    }
  })
})
