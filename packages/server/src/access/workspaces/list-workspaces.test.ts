import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectCreated, expectError, expectOk } from '../../../test/test-context.ts'

describe('GET /v1/workspace', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  itRequiresScope(() => t, 'GET', '/v1/workspace', { scope: 'read' })

  it('GET /v1/workspace: 200 with the accessible workspaces and their settings, oldest first', async () => {
    const second = expectCreated(
      await t.call('POST', '/v1/workspace', { body: { slug: 'second' } }),
    )
    await t.otherUser()
    const all = expectOk(await t.call('GET', '/v1/workspace'))
    assert.deepEqual(
      all.map((one: { workspaceId: string }) => one.workspaceId),
      [t.workspaceId, second.workspaceId],
    )
    assert.deepEqual(all[1], second)
    const token = await t.createToken({ workspaceId: second.workspaceId })
    assert.deepEqual(expectOk(await t.call('GET', '/v1/workspace', { token })), [second])
  })

  it('GET /v1/workspace: 400 for an unknown query parameter', async () => {
    expectError(await t.call('GET', '/v1/workspace?limit=5'), 'invalid_parameter')
  })
})
