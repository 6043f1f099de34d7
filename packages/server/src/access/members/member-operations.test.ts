import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import {
  databaseBytes,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  listAuditActions,
} from '../../../test/test-context.ts'
import { newId } from '../../platform/storage/id.ts'
import { createUserStore } from '../users/user-store.ts'
import { acceptInvitation, findInvitation, type Invitee, readInvitation } from './invitation.ts'
import { createMemberStore } from './member-store.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const FIELDS = [
  'memberId',
  'workspaceId',
  'userId',
  'email',
  'name',
  'role',
  'extraScopes',
  'status',
  'invitedUntil',
  'lastSeenAt',
  'createdAt',
]

describe('Members', () => {
  let t: TestApp
  let time = Date.now()
  let count = 0
  before(async () => {
    t = await testApp({ now: () => time })
  })
  after(() => t.close())

  const newEmail = () => `person-${++count}@example.com`
  const invite = (body: object, token?: string) =>
    t.call('POST', '/v1/member', token === undefined ? { body } : { body, token })
  const accept = (url: string, invitee: Invitee) =>
    acceptInvitation(
      {
        database: t.database,
        members: createMemberStore(t.database),
        users: createUserStore(t.database),
        now: () => time,
      },
      readInvitation(url),
      invitee,
      { requestId: 'test', ip: null },
    )
  const join = async (role = 'support') => {
    const email = newEmail()
    const { memberId, invitationUrl } = expectOk(await invite({ email, role }))
    const result = await accept(invitationUrl, { name: 'Grace' })
    assert.ok(result.outcome === 'accepted')
    return { memberId: memberId as string, email, userId: result.userId }
  }
  const list = async () =>
    expectOk(await t.call('GET', '/v1/member')) as unknown as {
      memberId: string
      email: string
      role: string
      status: string
      tokens: object[]
    }[]

  describe('POST /v1/member', () => {
    itRequiresScope(() => t, 'POST', '/v1/member', {
      scope: 'members',
      body: { email: 'x@example.com', role: 'viewer' },
    })

    it('invites a person for 7 days and returns the URL once; the database has only a hash of its secret', async () => {
      const email = newEmail()
      const member = expectOk(await invite({ email, role: 'support' }))
      expectKeys(member, [...FIELDS, 'invitationUrl'])
      assert.deepEqual(
        [member.email, member.role, member.status, member.userId, member.name, member.lastSeenAt],
        [email, 'support', 'invited', null, null, null],
      )
      assert.equal(Date.parse(member.invitedUntil) - time, 7 * DAY_MS)
      const [, secret = ''] = /\/console\/join#([\w-]{32})$/.exec(member.invitationUrl) ?? []
      assert.ok(secret, member.invitationUrl)
      assert.ok(!(await databaseBytes(t)).includes(secret))
      assert.deepEqual(await listAuditActions(t, member.memberId), ['member.invited'])
    })

    it('replaces the invitation of someone who has not accepted, whatever the letter case', async () => {
      const email = newEmail()
      const first = expectOk(await invite({ email, role: 'viewer' }))
      const second = expectOk(await invite({ email: email.toUpperCase(), role: 'admin' }))
      assert.equal(second.memberId, first.memberId)
      assert.equal(second.role, 'admin')
      assert.deepEqual(await accept(first.invitationUrl, { name: 'Eve' }), { outcome: 'gone' })
      assert.equal((await accept(second.invitationUrl, { name: 'Ada' })).outcome, 'accepted')
    })

    it('refuses members, the owner among them, and roles that are not given', async () => {
      const { email } = await join()
      expectError(await invite({ email, role: 'viewer' }), 'already_exists')
      const owner = expectOk(await t.call('GET', '/v1/user')).email
      expectError(await invite({ email: owner, role: 'viewer' }), 'already_exists')
      for (const role of ['owner', 'root', null, 7])
        expectError(await invite({ email: newEmail(), role }), 'validation_failed')
      for (const email of ['', 'no-at', 'a b@example.com', `${'x'.repeat(250)}@x.example`])
        expectError(await invite({ email, role: 'viewer' }), 'validation_failed')
    })

    it('gives no one more than the token of the caller has', async () => {
      const token = await t.createToken({ scopes: ['read', 'members'] })
      expectOk(await invite({ email: newEmail(), role: 'viewer' }, token))
      const refused = await invite({ email: newEmail(), role: 'admin' }, token)
      expectError(refused, 'insufficient_scope')
      const extra = { email: newEmail(), role: 'viewer', extraScopes: ['credentials:read'] }
      expectError(await invite(extra, token), 'insufficient_scope')
      expectOk(await invite(extra))
    })

    it('is limited to 200 members', async () => {
      const workspaceId = expectCreated(
        await t.call('POST', '/v1/workspace', { body: {} }),
      ).workspaceId
      const members = createMemberStore(t.database)
      await t.database.transaction(async (trx) => {
        for (let index = 0; index < 199; index++)
          await members.insert(
            trx,
            {
              memberId: newId('mbr', time),
              workspaceId,
              email: newEmail(),
              role: 'viewer',
              extraScopes: [],
              invitation: {
                hash: crypto.getRandomValues(new Uint8Array(32)),
                until: time,
              },
            },
            time,
          )
      })
      const body = { email: newEmail(), role: 'viewer', workspaceId }
      // The owner is the 200th.
      expectError(await invite(body), 'member_limit')
    })
  })

  describe('Accepting an invitation', () => {
    it('makes a new person a user, once, and the audit trail names them', async () => {
      const email = newEmail()
      const { invitationUrl, memberId } = expectOk(await invite({ email, role: 'support' }))
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) => accept(invitationUrl, { name: `Grace ${index}` })),
      )
      const accepted = results.filter(({ outcome }) => outcome === 'accepted')
      assert.equal(accepted.length, 1)
      const member = (await list()).find((each) => each.memberId === memberId)
      assert.equal(member?.status, 'active')
      assert.deepEqual(await listAuditActions(t, memberId), ['member.invited', 'member.joined'])
    })

    it('does not make the URL alone a user who exists already, nor another person', async () => {
      const { email, userId } = await join()
      const other = await join()
      const workspaceId = expectCreated(
        await t.call('POST', '/v1/workspace', { body: {} }),
      ).workspaceId
      const body = { email, role: 'support', workspaceId }
      const { invitationUrl } = expectOk(await invite(body))
      assert.deepEqual(await accept(invitationUrl, { name: 'Eve' }), { outcome: 'known' })
      const asOther = await accept(invitationUrl, { userId: other.userId })
      assert.deepEqual(asOther, { outcome: 'other' })
      assert.equal((await accept(invitationUrl, { userId })).outcome, 'accepted')
    })

    it('ends after 7 days, with its withdrawal, and with the workspace', async () => {
      const late = expectOk(await invite({ email: newEmail(), role: 'viewer' }))
      const withdrawn = expectOk(await invite({ email: newEmail(), role: 'viewer' }))
      expectOk(await t.call('DELETE', `/v1/member/${withdrawn.memberId}`))
      assert.equal((await accept(withdrawn.invitationUrl, { name: 'Eve' })).outcome, 'gone')
      const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
      const body = { email: newEmail(), role: 'viewer', workspaceId }
      const ofDeleted = expectOk(await invite(body))
      expectOk(await t.call('DELETE', `/v1/workspace/${workspaceId}`))
      assert.equal((await accept(ofDeleted.invitationUrl, { name: 'Eve' })).outcome, 'gone')
      const rows = await t.database.read
        .selectFrom('members')
        .select(['email', 'ended_at'])
        .where('workspace_id', '=', workspaceId)
        .execute()
      assert.ok(rows.every(({ email, ended_at }) => email === '' && ended_at !== null))
      time += 7 * DAY_MS
      assert.equal((await accept(late.invitationUrl, { name: 'Eve' })).outcome, 'gone')
      assert.equal((await accept('', { name: 'Eve' })).outcome, 'gone')
      assert.equal(
        await findInvitation(
          {
            database: t.database,
            members: createMemberStore(t.database),
            users: createUserStore(t.database),
            now: () => time,
          },
          'x'.repeat(10_000),
        ),
        undefined,
      )
    })
  })

  describe('GET /v1/member', () => {
    itRequiresScope(() => t, 'GET', '/v1/member', { scope: 'audit:read' })

    it('lists the members of one workspace, oldest first, with exactly the fields of the interface', async () => {
      const { memberId } = await join('developer')
      const members = await list()
      assert.equal(members[0]?.role, 'owner')
      const member = members.at(-1)
      assert.equal(member?.memberId, memberId)
      expectKeys(member, [...FIELDS, 'tokens'])
      const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
      assert.deepEqual(expectOk(await t.call('GET', `/v1/member?workspaceId=${workspaceId}`)), [])
    })

    it('refuses workspaces of others, and unknown parameters', async () => {
      const unknown = await t.call('GET', `/v1/member?workspaceId=${newId('wsp', time)}`)
      expectError(unknown, 'workspace_not_accessible')
      expectError(await t.call('GET', '/v1/member?role=admin'), 'invalid_parameter')
    })
  })

  describe('POST /v1/member/{memberId}', () => {
    itRequiresScope(() => t, 'POST', '/v1/member/mbr_none', { scope: 'members', body: {} })

    it('changes the role and the further scopes', async () => {
      const { memberId } = await join('viewer')
      const body = { role: 'developer', extraScopes: ['proxy'] }
      const changed = expectOk(await t.call('POST', `/v1/member/${memberId}`, { body }))
      expectKeys(changed, [...FIELDS, 'revokedTokens'])
      assert.deepEqual([changed.role, changed.extraScopes], ['developer', ['proxy']])
      const unchanged = expectOk(await t.call('POST', `/v1/member/${memberId}`, { body: {} }))
      assert.deepEqual([unchanged.role, unchanged.extraScopes], ['developer', ['proxy']])
      assert.ok((await listAuditActions(t, memberId)).includes('member.updated'))
    })

    it('refuses the owner, those who have more than the caller, and unknown members', async () => {
      const [owner] = await list()
      const path = `/v1/member/${owner?.memberId}`
      expectError(await t.call('POST', path, { body: { role: 'viewer' } }), 'member_is_owner')
      expectError(await t.call('DELETE', path), 'member_is_owner')
      const { memberId } = await join('admin')
      const token = await t.createToken({ scopes: ['read', 'members'] })
      const demotion = { body: { role: 'viewer' }, token }
      const demoted = await t.call('POST', `/v1/member/${memberId}`, demotion)
      expectError(demoted, 'insufficient_scope')
      const removed = await t.call('DELETE', `/v1/member/${memberId}`, { token })
      expectError(removed, 'insufficient_scope')
      for (const id of [newId('mbr', time), 'mbr_none', 'x', memberId.toUpperCase()]) {
        expectError(await t.call('POST', `/v1/member/${id}`, { body: {} }), 'member_not_found')
        expectError(await t.call('DELETE', `/v1/member/${id}`), 'member_not_found')
      }
    })

    it('lets a token that is bound to a workspace reach no member of another one', async () => {
      const { memberId } = await join('viewer')
      const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
      const scopes = ['read', 'members', 'audit:read']
      const token = await t.createToken({ workspaceId, scopes })
      const changed = await t.call('POST', `/v1/member/${memberId}`, { body: {}, token })
      expectError(changed, 'member_not_found')
      expectError(await t.call('DELETE', `/v1/member/${memberId}`, { token }), 'member_not_found')
    })
  })

  describe('DELETE /v1/member/{memberId}', () => {
    itRequiresScope(() => t, 'DELETE', '/v1/member/mbr_none', { scope: 'members' })

    it('ends the membership, after which the person can be invited again', async () => {
      const { memberId, email, userId } = await join()
      const removed = expectOk(await t.call('DELETE', `/v1/member/${memberId}`))
      expectKeys(removed, [...FIELDS, 'revokedTokens'])
      expectError(await t.call('DELETE', `/v1/member/${memberId}`), 'member_not_found')
      assert.ok(!(await list()).some((each) => each.memberId === memberId))
      assert.ok((await listAuditActions(t, memberId)).includes('member.removed'))
      const again = expectOk(await invite({ email, role: 'viewer' }))
      assert.notEqual(again.memberId, memberId)
      assert.equal((await accept(again.invitationUrl, { userId })).outcome, 'accepted')
    })
  })
})
