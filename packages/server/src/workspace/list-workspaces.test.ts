import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import { created, fine, refused } from '../../test/fixtures.ts'
import { type TestApp, testApp } from '../../test/test-app.ts'

describe('GET /v1/workspace', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  itGuards(() => t, 'GET', '/v1/workspace', { scope: 'read' })

  it('200: lists what the token reaches, oldest first, with settings', async () => {
    const second = created(await t.call('POST', '/v1/workspace', { body: { slug: 'second' } }))
    await t.stranger()
    const all = fine(await t.call('GET', '/v1/workspace'))
    assert.deepEqual(
      all.map((one: { workspaceId: string }) => one.workspaceId),
      [t.workspaceId, second.workspaceId],
    )
    assert.deepEqual(all[1], second)
    const token = await t.mint({ workspaceId: second.workspaceId })
    assert.deepEqual(fine(await t.call('GET', '/v1/workspace', { token })), [second])
  })

  it('400: takes no query', async () => {
    refused(await t.call('GET', '/v1/workspace?limit=5'), 'invalid_parameter')
  })
})
