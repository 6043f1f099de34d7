import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from './test-app.ts'

describe('HTML pages while the database is unavailable', () => {
  it('show that the service is busy, and the log has the cause, as for the API', async () => {
    const t = await testApp()
    const { body } = await t.call('POST', '/v1/link', { body: { linkName: 'North' } })
    await t.database.close()
    const state = 'a'.repeat(43)
    const pages = [
      `/link/${body.linkId}`,
      `/link/frame/${body.linkId}`,
      `/oauth/connect/${state}`,
      `/api/v1/oauth/callback?code=1&state=${state}`,
    ]
    t.logs.length = 0
    for (const url of pages) {
      const page = await t.app.inject({ method: 'GET', url })
      assert.equal(page.statusCode, 503, url)
      assert.match(page.body, /data-state="busy"/, url)
    }
    const lines = t.logs.map((line) => JSON.parse(line)).filter(({ status }) => status === 503)
    const logged = lines.map(({ error, level }) => `${level} ${error}`)
    assert.deepEqual(logged, Array(pages.length).fill('error storage_unavailable'))
    await t.close().catch(() => undefined)
  })
})
