import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { signIn } from '../test/console-visitor.ts'

describe('Console: the audit trail', () => {
  let app: TestApp
  before(async () => {
    app = await testApp()
    await app.call('POST', '/v1/link', { body: { linkName: 'a' } })
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if ((await app.call('GET', '/v1/audit')).body.length > 0) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  after(() => app.close())

  test('audit: an entry says who, what, from where, and in which request', async () => {
    const [entry] = (await app.call('GET', '/v1/audit?action=link.created')).body
    const visitor = await signIn(app)
    const { visible } = await visitor.get('/console/audit')
    for (const part of ['link.created', entry.actor.tokenId, 'through the API', entry.requestId])
      assert.ok(visible.includes(part), part)
  })

  test('audit: what a person did in the console has their name', async () => {
    const visitor = await signIn(app)
    await visitor.get('/console/settings')
    await visitor.post('/console/settings', { name: 'Northwind' })
    let visible = ''
    for (let attempt = 0; attempt < 100 && !visible.includes('in the console'); attempt += 1) {
      visible = (await visitor.get('/console/audit?action=workspace.updated')).visible
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.match(visible, /workspace\.updated .*owner@localhost in the console/)
  })

  test('audit: filters are in the URL; what the API refuses is said', async () => {
    const visitor = await signIn(app)
    const none = await visitor.get('/console/audit?action=account.deleted&from=2026-01-01')
    assert.match(none.visible, /No entry matches these filters/)
    assert.match(none.text, /href="\/console\/audit\?from&#61;2026-01-01"/)
    assert.equal((await visitor.get('/console/audit?from=yesterday')).status, 400)
  })

  test('audit: the export is a file with JSON Lines', async () => {
    const visitor = await signIn(app)
    await visitor.get('/console/audit')
    assert.equal((await visitor.get('/console/audit/export')).location, '/console/audit')
    await visitor.get('/console/audit')
    const { headers, text } = await visitor.post('/console/audit/export')
    assert.equal(headers['content-length'], undefined, 'it is sent while it is made')
    assert.match(String(headers['content-disposition']), /attachment; filename="audit-.*\.jsonl"/)
    const lines = text.trim().split('\n')
    assert.ok(lines.some((line) => JSON.parse(line).action === 'link.created'))
  })

  test('audit: verification names the public key and the offline command', async () => {
    const visitor = await signIn(app)
    const { visible } = await visitor.get('/console/audit')
    assert.match(visible, /http:\/\/localhost:3000\/audit\/jwks\.json/)
    assert.match(visible, /audit verify export\.jsonl/)
  })

  test('audit: 403 for a developer, who learns which role may read it', async () => {
    const visitor = await signIn(app, { role: 'developer' })
    const { status, visible } = await visitor.get('/console/audit')
    assert.equal(status, 403)
    assert.match(visible, /needs the role admin/)
  })
})
