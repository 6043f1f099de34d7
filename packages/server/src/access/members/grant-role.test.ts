import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectCreated, expectOk } from '../../../test/test-context.ts'
import { createUserStore } from '../users/user-store.ts'
import { createWorkspaceStore } from '../workspaces/workspace-store.ts'
import { grantRole } from './grant-role.ts'
import { createMemberStore } from './member-store.ts'
import type { GivenRole } from './roles.ts'

describe('A role that an identity provider gives', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const grant = (email: string, role: GivenRole) =>
    grantRole(
      {
        database: t.database,
        members: createMemberStore(t.database),
        users: createUserStore(t.database),
        workspaces: createWorkspaceStore(t.database),
        now: Date.now,
      },
      { email, name: 'Grace' },
      role,
      { requestId: 'test', ip: null },
    )
  const findMember = async (email: string, workspaceId = t.workspaceId) => {
    const members = expectOk(
      await t.call('GET', `/v1/member?workspaceId=${workspaceId}`),
    ) as unknown as { email: string; role: string; status: string; userId: string | null }[]
    return members.find((each) => each.email === email)
  }

  it('makes a new person a member of every workspace of the owner, and changes with the next sign-in', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
    const email = 'grace@example.com'
    const userId = await grant(email, 'developer')
    for (const id of [t.workspaceId, workspaceId]) {
      const member = await findMember(email, id)
      assert.deepEqual(
        [member?.role, member?.status, member?.userId],
        ['developer', 'active', userId],
      )
    }
    assert.equal(await grant(email.toUpperCase(), 'viewer'), userId)
    assert.equal((await findMember(email))?.role, 'viewer')
    assert.equal(await grant(email, 'viewer'), userId)
  })

  it('accepts an invitation of the same e-mail with the role of the provider', async () => {
    const email = 'linus@example.com'
    expectOk(await t.call('POST', '/v1/member', { body: { email, role: 'admin' } }))
    const userId = await grant(email, 'support')
    const member = await findMember(email)
    assert.deepEqual([member?.role, member?.userId], ['support', userId])
  })

  it('leaves the owner the owner, and reaches no workspace of another user', async () => {
    const owner = expectOk(await t.call('GET', '/v1/user'))
    assert.equal(await grant(owner.email, 'viewer'), owner.userId)
    assert.equal(await findMember(owner.email).then((member) => member?.role ?? 'owner'), 'owner')
    const other = await t.otherUser()
    await grant('ada@example.com', 'admin')
    const theirs = expectOk(await t.call('GET', '/v1/user', { token: other.token })) as {
      Workspace: { workspaceId: string }[]
    }
    const rows = await t.database.read.selectFrom('members').selectAll().execute()
    const ids = rows
      .filter(({ email }) => email === 'ada@example.com')
      .map((row) => row.workspace_id as string)
    assert.ok(ids.length > 0)
    for (const { workspaceId } of theirs.Workspace) assert.ok(!ids.includes(workspaceId))
  })
})
