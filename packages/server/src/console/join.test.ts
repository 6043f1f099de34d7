import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../test/test-app.ts'
import { expectOk, listAuditActions } from '../../test/test-context.ts'
import { selectAuditEntries } from '../platform/storage/audit-inbox.ts'
import type { Id } from '../platform/storage/id.ts'
import { createSampleRows } from '../platform/storage/test/sample-rows.ts'
import {
  type ConsoleVisitor,
  createConsoleVisitor,
  createSignInCode,
  readAll,
  signIn,
} from './test/console-visitor.ts'
import { elevate } from './test/elevate.ts'

const MEMBERS = '/console/settings/members'

describe('Members in the console', () => {
  let t: TestApp
  let owner: ConsoleVisitor
  let count = 0
  before(async () => {
    t = await testApp()
    owner = await signIn(t)
    await elevate(t, owner)
  })
  after(() => t.close())

  const newEmail = () => `colleague-${++count}@example.com`
  /** The secret of an invitation that the owner creates in the console. */
  const invite = async (email: string, role: string) => {
    await owner.get(`${MEMBERS}/new`)
    const page = await owner.post(`${MEMBERS}/new`, { email, role })
    assert.equal(page.status, 201, page.text)
    const [, secret = ''] = /\/console\/join#([\w-]{32})/.exec(page.text) ?? []
    assert.ok(secret)
    return secret
  }
  const join = async (email: string, role: string) => {
    const secret = await invite(email, role)
    const visitor = createConsoleVisitor(t)
    await visitor.send('/console/join', { code: secret })
    const joined = await visitor.post('/console/join', { name: 'Grace' })
    assert.equal(joined.status, 303, joined.text)
    return visitor
  }
  const findMember = async (email: string) => {
    const members = expectOk(await t.call('GET', '/v1/member')) as unknown as {
      email: string
      memberId: string
      userId: string
    }[]
    const member = members.find((each) => each.email === email)
    assert.ok(member)
    return member
  }
  const createToken = async (visitor: ConsoleVisitor, email: string) => {
    await visitor.get('/console/elevate?to=/console')
    const code = await createSignInCode(t, { email })
    await visitor.post('/console/elevate?to=%2Fconsole', { code })
    await visitor.get('/console/settings/tokens/new')
    const page = await visitor.post('/console/settings/tokens/new', { name: 'mine' })
    const [token = ''] = /lp_\w{36}/.exec(page.text) ?? []
    assert.ok(token, page.text)
    return token
  }

  it('an invitation says what it is for, and a new person joins with a name and is signed in', async () => {
    const email = newEmail()
    const secret = await invite(email, 'support')
    const visitor = createConsoleVisitor(t)
    assert.equal((await visitor.get('/console/join')).status, 200)
    const page = await visitor.send('/console/join', { code: `http://x/console/join#${secret}` })
    assert.match(page.visible, new RegExp(`as support\\. .* Email address: ${email} Your name`))
    const nameless = await visitor.post('/console/join', { name: '  ' })
    assert.equal(nameless.status, 422)
    assert.match(nameless.visible, /Enter your name/)
    await visitor.post('/console/join', { name: 'Grace\0Hopper' })
    assert.match((await visitor.follow()).visible, /Add a passkey now/)
    assert.equal((await visitor.get('/console/connections')).status, 200)
    assert.match(visitor.page?.text ?? '', /<b>Grace Hopper<\/b><small>support<\/small>/)
    const again = await createConsoleVisitor(t).send('/console/join', { code: secret })
    assert.equal(again.status, 422)
  })

  it('what a member does is theirs in the audit trail, not the owner’s', async () => {
    const email = newEmail()
    const visitor = await join(email, 'support')
    await visitor.get('/console/links/new')
    const { status } = await visitor.post('/console/links/new', {
      linkName: 'By Grace',
      offer: 'all',
    })
    assert.equal(status, 303)
    const { userId } = await findMember(email)
    const rows = await selectAuditEntries(t.database.read)
      .select(['action', 'actor_kind', 'via'])
      .where('user_id', '=', userId as Id<'usr'>)
      .orderBy('event_id')
      .execute()
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        ['member.joined', 'person', 'console'],
        ['session.created', 'person', 'console'],
        ['link.created', 'token', 'console'],
      ],
    )
  })

  it('a member below admin sees who could, and no members', async () => {
    const visitor = await join(newEmail(), 'developer')
    const page = await visitor.get(MEMBERS)
    assert.equal(page.status, 403)
    assert.match(page.visible, /It needs the role admin/)
    const form = await visitor.get(`${MEMBERS}/new`)
    assert.equal(form.status, 403)
  })

  it('an admin is not offered rights that only the owner has, and cannot take them by request', async () => {
    const email = newEmail()
    const admin = await join(email, 'admin')
    await admin.get('/console/elevate?to=/console')
    const code = await createSignInCode(t, { email })
    await admin.post('/console/elevate?to=%2Fconsole', { code })
    const form = await admin.get(`${MEMBERS}/new`)
    assert.doesNotMatch(form.text, /name="extra"/)
    const other = newEmail()
    const forged = await admin.post(`${MEMBERS}/new`, {
      email: other,
      role: 'viewer',
      extra: 'credentials:read',
    })
    assert.equal(forged.status, 403)
    const allowed = await admin.get(`${MEMBERS}/new`)
    assert.equal(allowed.status, 200)
    const invited = await admin.post(`${MEMBERS}/new`, { email: other, role: 'admin' })
    assert.equal(invited.status, 201)
  })

  it('the role decides with the next request: after a demotion, the page asks for the lost right, and tokens have ended', async () => {
    const email = newEmail()
    const visitor = await join(email, 'developer')
    const token = await createToken(visitor, email)
    expectOk(await t.call('GET', '/v1/link', { token }))
    const { memberId } = await findMember(email)
    await owner.get(`${MEMBERS}/${memberId}`)
    const asked = await owner.post(`${MEMBERS}/${memberId}/role`, { role: 'viewer' })
    assert.equal(asked.status, 201)
    assert.deepEqual(readAll(asked, 'li').at(-1), 'mine')
    expectOk(await t.call('GET', '/v1/link', { token }))
    const done = await owner.post(`${MEMBERS}/${memberId}/role`)
    assert.equal(done.status, 303)
    assert.equal((await t.call('GET', '/v1/link', { token })).status, 401)
    const links = await visitor.get('/console/links')
    assert.equal(links.status, 200)
    assert.match(links.text, /needs the role support/)
  })

  it('a promotion keeps the tokens', async () => {
    const email = newEmail()
    const visitor = await join(email, 'developer')
    const token = await createToken(visitor, email)
    const { memberId } = await findMember(email)
    await owner.get(`${MEMBERS}/${memberId}`)
    await owner.post(`${MEMBERS}/${memberId}/role`, { role: 'admin' })
    expectOk(await t.call('GET', '/v1/link', { token }))
    assert.equal((await visitor.get('/console/audit')).status, 200)
    await owner.get(`${MEMBERS}/${memberId}`)
    assert.match(owner.page?.visible ?? '', /tokens that they created mine/)
    await owner.post(`${MEMBERS}/${memberId}/removal`)
    assert.equal((await t.call('GET', '/v1/link', { token })).status, 401)
  })

  it('a removed member is signed out with the next request, and their tokens have ended', async () => {
    const email = newEmail()
    const visitor = await join(email, 'developer')
    const token = await createToken(visitor, email)
    const { memberId } = await findMember(email)
    await owner.get(`${MEMBERS}/${memberId}`)
    assert.match(owner.page?.visible ?? '', /which they created, end.* mine/)
    const removed = await owner.post(`${MEMBERS}/${memberId}/removal`)
    assert.equal(removed.location, MEMBERS)
    const page = await visitor.get('/console/connections')
    assert.match(page.location ?? '', /^\/console\/open/)
    assert.equal((await t.call('GET', '/v1/link', { token })).status, 401)
    assert.deepEqual(await listAuditActions(t, memberId), [
      'member.invited',
      'member.joined',
      'member.removed',
    ])
  })

  it('a person who is known already joins with their sign-in, also after they were removed', async () => {
    const email = newEmail()
    await join(email, 'viewer')
    const { memberId } = await findMember(email)
    expectOk(await t.call('DELETE', `/v1/member/${memberId}`))
    const secret = await invite(email, 'support')
    const visitor = createConsoleVisitor(t)
    const code = `http://localhost:3000/console/join#${secret}`
    const page = await visitor.send('/console/join', { code })
    assert.match(page.visible, /is known here already\. Sign in first/)
    const forged = await createConsoleVisitor(t).send('/console/join', {
      code: secret,
      confirm: 'yes',
      name: 'Eve',
    })
    assert.equal(forged.location, '/console/open')
    const signIn = await visitor.post('/console/join')
    assert.equal(signIn.location, '/console/open')
    await visitor.send('/console/open', { code: await createSignInCode(t, { email }) })
    assert.equal((await visitor.get('/console/connections')).status, 200)
    assert.match(visitor.page?.text ?? '', /<small>support<\/small>/)
  })

  it('a person who has only opened an invitation does not join with their next sign-in', async () => {
    const email = newEmail()
    await join(email, 'viewer')
    const { memberId } = await findMember(email)
    expectOk(await t.call('DELETE', `/v1/member/${memberId}`))
    const visitor = createConsoleVisitor(t)
    await visitor.send('/console/join', { code: await invite(email, 'support') })
    const code = await createSignInCode(t, { email })
    assert.equal((await visitor.send('/console/open', { code })).status, 403, 'no workspace')
  })

  it('an invitation of someone else does nothing for a person who is signed in', async () => {
    const visitor = await join(newEmail(), 'viewer')
    const email = newEmail()
    const secret = await invite(email, 'admin')
    const page = await visitor.send('/console/join', { code: secret, confirm: 'yes' })
    assert.equal(page.status, 403)
    assert.match(page.visible, new RegExp(`This invitation is for ${email}`))
  })

  it('another site cannot open or accept an invitation, and guessing is limited', async () => {
    const secret = await invite(newEmail(), 'viewer')
    const visitor = createConsoleVisitor(t)
    const forged = await visitor.send(
      '/console/join',
      { code: secret, confirm: 'yes', name: 'Eve' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    )
    assert.equal(forged.status, 403)
    const statuses = []
    for (let index = 0; index < 12; index++)
      statuses.push((await visitor.send('/console/join', { code: `x${index}` })).status)
    assert.deepEqual([...new Set(statuses)], [422, 429])
  })

  it('a new invitation of a member who has not accepted ends the earlier one; withdrawing it ends it, too', async () => {
    const email = newEmail()
    const first = await invite(email, 'viewer')
    const { memberId } = await findMember(email)
    await owner.get(`${MEMBERS}/${memberId}`)
    const page = await owner.post(`${MEMBERS}/${memberId}/invitation`)
    const [, second = ''] = /\/console\/join#([\w-]{32})/.exec(page.text) ?? []
    const open = async (code: string) =>
      (await createConsoleVisitor(t).send('/console/join', { code })).status
    assert.deepEqual([await open(first), await open(second)], [422, 201])
    await owner.get(`${MEMBERS}/${memberId}`)
    await owner.post(`${MEMBERS}/${memberId}/removal`)
    assert.equal(await open(second), 422)
  })

  it('who accepts an invitation of someone else’s e-mail loses passkeys, session and tokens when that person first signs in with a code of the operator', async () => {
    const email = newEmail()
    const impostor = await join(email, 'developer')
    const token = await createToken(impostor, email)
    const { userId } = await findMember(email)
    await t.database.transaction((trx) =>
      trx
        .insertInto('passkeys')
        .values({ ...createSampleRows(Date.now()).passkeys, user_id: userId as Id<'usr'> })
        .execute(),
    )
    const person = createConsoleVisitor(t)
    const signInAs = async (visitor: ConsoleVisitor) =>
      visitor.send('/console/open', { code: await createSignInCode(t, { email }) })
    assert.equal((await signInAs(person)).status, 303)
    assert.equal((await person.get('/console/links')).status, 200)
    assert.match((await impostor.get('/console/links')).location ?? '', /^\/console\/open/)
    assert.equal((await t.call('GET', '/v1/link', { token })).status, 401)
    const passkeys = await t.database.read
      .selectFrom('passkeys')
      .select('credential_id')
      .where('user_id', '=', userId as Id<'usr'>)
      .execute()
    assert.deepEqual(passkeys, [])
    const other = createConsoleVisitor(t)
    assert.equal((await signInAs(other)).status, 303)
    assert.equal((await person.get('/console/links')).status, 200, 'only the first time')
  })
})
