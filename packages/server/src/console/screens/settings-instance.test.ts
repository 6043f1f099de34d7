import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { createSignInStore } from '../sign-in/sign-in-store.ts'
import { createConsoleVisitor, createSignInCode, signIn } from '../test/console-visitor.ts'
import { elevate } from '../test/elevate.ts'

describe('Console: the instance', () => {
  const PATH = '/console/settings/instance'

  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  test('instance: the owner sees it only after a confirmation, for ten minutes', async () => {
    const visitor = await signIn(t)
    const locked = await visitor.get(PATH)
    assert.match(locked.visible, /needs a confirmation that it is you/)
    assert.match(locked.text, /\/console\/elevate\?to/)
    await elevate(t, visitor)
    const { status, visible } = await visitor.get(PATH)
    assert.equal(status, 200)
    assert.match(visible, /Version \d+\.\d+\.\d+/)
    assert.match(visible, /Kind SQLite Size [\d.]+ MiB Schema 00\d\d-/)
    assert.match(visible, /Customers cannot reach the pages/)
  })

  test('instance: its token is bound to no workspace, has two scopes and ends with the elevation', async () => {
    const visitor = await signIn(t)
    await elevate(t, visitor)
    await visitor.get(PATH)
    const tokens = await t.database.read
      .selectFrom('tokens')
      .select(['scopes', 'workspace_id', 'expires_at', 'created_at'])
      .where('origin', '=', 'session')
      .where('workspace_id', 'is', null)
      .where('revoked_at', 'is', null)
      .execute()
    const [token] = tokens.toSorted((one, other) => other.created_at - one.created_at)
    assert.equal(token?.scopes, 'admin workspace:write')
    const lifetimeMs = Number(token?.expires_at) - Number(token?.created_at)
    assert.ok(lifetimeMs > 0 && lifetimeMs <= 600_000, `${lifetimeMs}`)
    await visitor.get('/console')
    await visitor.post('/console/sign-out')
    const live = await t.database.read
      .selectFrom('tokens')
      .select('token_id')
      .where('origin', '=', 'session')
      .where('workspace_id', 'is', null)
      .where('revoked_at', 'is', null)
      .where('created_at', '=', Number(token?.created_at))
      .execute()
    assert.deepEqual(live, [])
  })

  test('instance: 403 for another role, also after a confirmation', async () => {
    for (const role of ['viewer', 'developer', 'admin'] as const) {
      const visitor = await signIn(t, { role })
      await elevate(t, visitor)
      const { status, visible } = await visitor.get(PATH)
      assert.equal(status, 403, role)
      assert.match(visible, /It needs the role owner/)
      assert.doesNotMatch(visible, /SQLite/)
    }
  })

  test('instance: 403 for the owner of a workspace who is not that of the instance', async () => {
    const email = 'second@example.com'
    await t.call('POST', '/v1/user', { body: { email } })
    const visitor = createConsoleVisitor(t)
    const signInAgain = async () => createSignInCode(t, { email })
    assert.equal((await visitor.send('/console/open', { code: await signInAgain() })).status, 303)
    await visitor.get('/console/elevate?to=/console')
    await visitor.post('/console/elevate?to=%2Fconsole', { code: await signInAgain() })
    const { status, visible } = await visitor.get(PATH)
    assert.equal(status, 403)
    assert.match(visible, /Only the person who has set up Linchpin/)
  })

  test('instance: 403 for a member whom the owner of the instance has made an owner', async () => {
    const email = 'third@example.com'
    await t.call('POST', '/v1/user', { body: { email } })
    const user = await t.database.read
      .selectFrom('users')
      .select('user_id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    const owner = await t.database.read
      .selectFrom('users')
      .select('user_id')
      .orderBy('created_at')
      .where('email', '!=', email)
      .where('email', 'like', 'owner%')
      .executeTakeFirstOrThrow()
    const [own] = await createSignInStore(t.database).listMemberships(owner.user_id)
    assert.ok(own)
    await t.database.transaction((trx) =>
      trx
        .updateTable('members')
        .set({ role: 'owner', user_id: user.user_id })
        .where('member_id', '=', own.memberId)
        .execute(),
    )
    const visitor = createConsoleVisitor(t)
    await visitor.send('/console/open', { code: await createSignInCode(t, { email }) })
    await visitor.get('/console/elevate?to=/console')
    await visitor.post('/console/elevate?to=%2Fconsole', {
      code: await createSignInCode(t, { email }),
    })
    assert.equal((await visitor.get(PATH)).status, 403)
  })
})
