import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import { type TestApp, testApp } from '../../../test/test-app.ts'

let t: TestApp
before(async () => {
  t = await testApp({ catalogue: await loadCatalogue() })
})
after(() => t.close())

const get = (path: string) => t.app.inject({ url: path })

describe('GET /', () => {
  it('200: is a page whose links all lead to pages', async () => {
    const response = await get('/')
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^text\/html/)
    const targets = [...response.body.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, to]) => `${to}`)
    assert.ok(targets.length >= 6, `${targets.length} links`)
    for (const target of targets) {
      const { statusCode, headers } = await get(new URL(target, 'http://localhost/').pathname)
      assert.equal(statusCode, 200, target)
      assert.match(String(headers['content-type']), /^text\/html/, target)
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
    assert.match(body, /Connect Acme Sandbox<\/h3>[\s\S]*<code>good<\/code>/)
  })

  it('contains nothing about this installation, and runs scripts of this origin only', async () => {
    const { body, headers } = await get('/')
    assert.ok(!body.includes(process.cwd()))
    assert.doesNotMatch(body, /lp_|packages/)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; script-src 'self'; connect-src 'self'/)
    assert.doesNotMatch(body, /<script(?! type="module" src="\.\/assets\/)/)
  })
})

describe('GET / at a public address', () => {
  it('leads to the documentation only: it shows neither commands nor the version', async () => {
    const open = await testApp({ baseUrl: () => 'https://connect.example.com' })
    try {
      const { body } = await open.app.inject({ url: '/' })
      assert.match(body, /Linchpin is running/)
      assert.match(body, /href="docs"/)
      assert.doesNotMatch(body, /curl -sS|owner-token|0\.1\.0/)
    } finally {
      await open.close()
    }
  })
})
