import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { created, fine } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { startOAuthWorld } from '../../connect/test/oauth-world.ts'
import { ISSUER, json, type StubWorld, startStubWorld } from '../../connect/test/stub-world.ts'
import { framed } from '../test/page-world.ts'
import { BASE_URL, listen, type Person, type Shown, wordsOf } from '../test/person.ts'

const HOST = 'https://app.example.com'
const CALLBACK = '/api/v1/oauth/callback'

describe('POST /link/{linkId}/sign-in', () => promises())
describePostgres('the same on PostgreSQL', (server) =>
  promises(() => server().createDatabase('sign_in')),
)

function promises(url: () => Promise<string | undefined> = async () => undefined): void {
  let t: StubWorld
  let person: () => Person
  let now = Date.now()
  before(async () => {
    const given = await url()
    t = await startStubWorld({ now: () => now, ...(given === undefined ? {} : { url: given }) })
    fine(
      await t.call('POST', `/v1/workspace/${t.workspaceId}`, {
        body: { allowedFrameOrigins: [HOST] },
      }),
    )
    person = await listen(t.app)
  })
  after(() => t.close())

  const link = async (body = {}) => {
    const given = { linkName: 'x', integrationDefinitionId: t.definitionId, ...body }
    return `/link/${created(await t.call('POST', '/v1/link', { body: given })).linkId}`
  }
  const stateOf = (page: Shown) => new URL(page.location ?? '').searchParams.get('state') ?? ''
  const back = (who: Person, query: Record<string, string>) =>
    who.get(`${CALLBACK}?${new URLSearchParams({ iss: ISSUER, ...query })}`)
  const stateAt = async (who: Person, path: string, page: Shown, visit?: string) => {
    const headers = visit === undefined ? {} : { 'x-linchpin-visit': visit }
    const attempt = page.data('data-attempt')
    return JSON.parse((await who.get(`${path}/attempts/${attempt}`, headers)).text)
  }

  it('goes to the provider and comes back to the page, which tells it after a reload too', async () => {
    const path = await link()
    const who = person()
    const form = await who.get(`${path}?accountIdentifier=customer-17&lang=de`)
    assert.equal(form.state, 'signIn')
    const gone = await who.send(form)
    assert.equal(gone.status, 303)
    assert.match(gone.location ?? '', new RegExp(`^${t.origin.url}/authorize\\?`))
    assert.deepEqual(await stateAt(who, path, form), { state: 'running' })
    const waiting = await who.get(`${path}?attempt=${form.data('data-attempt')}`)
    assert.equal(waiting.state, 'waitingSignIn')
    const done = await back(who, { state: stateOf(gone), code: 'c' })
    assert.equal(done.status, 303)
    assert.match(
      done.location ?? '',
      new RegExp(`^${BASE_URL}${path}\\?accountIdentifier=customer-17&lang=de&attempt=`),
    )
    for (const page of [await who.get(done.location ?? ''), await who.get(done.location ?? '')])
      assert.equal(page.state, 'connected')
    const { state, account } = await stateAt(who, path, form)
    assert.equal(state, 'connected')
    assert.equal(account.accountIdentifier, 'customer-17')
    assert.equal(account.integrationAccountName, 'A person')
    const row = await t.database.read
      .selectFrom('oauth_attempts')
      .selectAll()
      .where('link_id', '=', path.slice('/link/'.length))
      .executeTakeFirst()
    assert.deepEqual([row?.token_id, row?.needs_confirm, row?.sealed], [null, 0, null])
    const stranger = await person().get(done.location ?? '')
    assert.equal(stranger.state, 'signIn')
    const replayed = await back(who, { state: stateOf(gone), code: 'c' })
    assert.equal(replayed.location, done.location)
  })

  it('ends a window on a page that tells its own browser how it went', async () => {
    const path = await link()
    const who = person()
    const form = await who.get(path)
    const gone = await who.send(form, { window: 'popup' })
    const done = await back(who, { state: stateOf(gone), code: 'c' })
    assert.match(done.location ?? '', new RegExp(`^${BASE_URL}${path}/closed\\?attempt=`))
    const closed = await who.get(done.location ?? '')
    assert.equal(closed.state, 'closed')
    assert.match(closed.text, /<body data-mode="closed">/)
    for (const page of [gone, done, closed])
      assert.equal(page.headers.get('cross-origin-opener-policy'), null, 'it could not be closed')
    assert.match(wordsOf(closed), /Stub is connected/)
    const stranger = person()
    await stranger.send(await stranger.get(path))
    for (const other of [person(), stranger])
      assert.doesNotMatch(wordsOf(await other.get(done.location ?? '')), /Stub/)
    assert.equal((await stateAt(who, path, form)).state, 'connected')
  })

  it('goes from a frame in a window of its own, without cookies in the frame', async () => {
    const path = await link()
    const inFrame = person()
    const form = await inFrame.get(framed(path))
    assert.match(form.text, /target="_blank"/)
    const window = person()
    const gone = await window.send(form)
    assert.equal(gone.status, 303, wordsOf(gone))
    const done = await back(window, { state: stateOf(gone), code: 'c' })
    assert.match(done.location ?? '', /\/closed\?attempt=/)
    const visit = form.data('data-visit') ?? ''
    const shown = await inFrame.get(`${framed(path)}?attempt=${form.data('data-attempt')}`, {
      'x-linchpin-visit': visit,
    })
    assert.equal(shown.state, 'connected')
    assert.equal((await stateAt(inFrame, path, form, visit)).state, 'connected')
    assert.equal(inFrame.jar.size, 0)
  })

  it('tells a person who said no, and a provider that is down', async () => {
    const path = await link()
    const who = person()
    const ended = async (query: Record<string, string>) => {
      const form = await who.get(path)
      const gone = await who.send(form)
      const done = await back(who, { state: stateOf(gone), ...query })
      const page = await who.get(done.location ?? '')
      assert.equal(page.state, 'failed')
      assert.equal((await stateAt(who, path, form)).code, page.data('data-code'))
      return page
    }
    const denied = await ended({ error: 'access_denied', error_description: '<b>no</b>' })
    assert.equal(denied.data('data-code'), 'access_denied')
    assert.match(wordsOf(denied), /said no. Nothing is shared.*Try again/)
    assert.doesNotMatch(denied.text, /<b>no/)
    const { answer } = t
    t.answer = json(503, {})
    const down = await ended({ code: 'c' })
    assert.equal(down.data('data-code'), 'provider_error')
    t.answer = answer
  })

  it('does not let a first try fail a second one', async () => {
    const path = await link()
    const who = person()
    const [one, two] = [await who.get(path), await who.get(path)]
    const first = await who.send(one)
    const second = await who.send(two)
    await back(who, { state: stateOf(first), error: 'access_denied' })
    assert.equal((await stateAt(who, path, one)).state, 'failed')
    assert.equal((await stateAt(who, path, two)).state, 'running')
    const done = await back(who, { state: stateOf(second), code: 'c' })
    assert.equal((await who.get(done.location ?? '')).state, 'connected')
    assert.equal((await stateAt(who, path, two)).state, 'connected')
  })

  it('opens the window again for the same try, and only the last one counts', async () => {
    const path = await link()
    const who = person()
    const form = await who.get(path)
    const first = await who.send(form)
    const again = await who.send(form)
    assert.equal(again.status, 303)
    assert.notEqual(stateOf(first), stateOf(again))
    const before = await t.accounts()
    const late = await back(who, { state: stateOf(first), code: 'c' })
    assert.equal(late.status, 303)
    assert.match(wordsOf(await who.get(late.location ?? '')), /this one counts no more/)
    assert.equal(await t.accounts(), before)
    assert.equal((await stateAt(who, path, form)).state, 'running')
    await back(who, { state: stateOf(again), code: 'c' })
    assert.equal((await stateAt(who, path, form)).state, 'connected')
    assert.equal(await t.accounts(), before + 1)
    const third = await who.send(form)
    assert.equal(third.state, 'alreadyFinished')
  })

  it('takes two presses at once for one browser', async () => {
    const path = await link()
    const who = person()
    const form = await who.get(path)
    const visit = `linchpin-visit=${who.jar.get('linchpin-visit')}`
    const pressed = await Promise.all([1, 2].map(() => who.send(form, {}, { cookie: visit })))
    const secrets = pressed.map(({ headers }) => headers.getSetCookie().join())
    assert.equal(secrets[0], secrets[1])
    const ends = await Promise.all(
      pressed.map((gone) => back(who, { state: stateOf(gone), code: 'c' })),
    )
    assert.ok(ends.every(({ status }) => status === 303))
    assert.equal((await stateAt(who, path, form)).state, 'connected')
  })

  it('connects nothing in another browser, and tells the page so', async () => {
    const path = await link()
    const who = person()
    const form = await who.get(path)
    const gone = await who.send(form)
    const before = t.tokenRequests.length
    const stolen = await back(person(), { state: stateOf(gone), code: 'c' })
    assert.equal(stolen.status, 400)
    assert.equal(t.tokenRequests.length, before)
    assert.deepEqual(await stateAt(who, path, form), { state: 'failed', code: 'other_browser' })
  })

  it('gives a try up when nobody comes back', async () => {
    const path = await link()
    const who = person()
    const form = await who.get(path)
    await who.send(form)
    now += 13 * 60_000
    assert.deepEqual(await stateAt(who, path, form), { state: 'failed', code: 'sign_in_overdue' })
    const page = await who.get(`${path}?attempt=${form.data('data-attempt')}`)
    assert.match(wordsOf(page), /within 10 minutes/)
  })

  it('connects nothing when the link was revoked on the way', async () => {
    const path = await link()
    const who = person()
    const form = await who.get(path)
    const gone = await who.send(form)
    fine(await t.call('DELETE', `/v1${path}`))
    const before = await t.accounts()
    const done = await back(who, { state: stateOf(gone), code: 'c' })
    assert.equal((await who.get(done.location ?? '')).state, 'revoked')
    assert.equal((await stateAt(who, path, form)).code, 'link_revoked')
    assert.equal(await t.accounts(), before)
  })

  it('is refused without its cookie, and from another site', async () => {
    const path = await link()
    const form = await person().get(path)
    const lost = await person().send(form)
    assert.deepEqual([lost.status, lost.data('data-code')], [403, 'visit_lost'])
    const who = person()
    const mine = await who.get(path)
    const crossed = await who.send(mine, {}, { 'sec-fetch-site': 'cross-site' })
    assert.equal(crossed.state, 'notOurs')
  })
}

describe('signing in where the provider needs to know more', () => {
  it('asks for it first, keeps the form on a fault, and fills it in', async (context) => {
    const t = await startStubWorld({
      auth: {
        input_specification: {
          type: 'object',
          required: ['subdomain'],
          properties: {
            subdomain: { type: 'string', pattern: '^[a-z]+$' },
            access_token: { type: 'string' },
          },
        },
        authorization_params: { shop: `\${subdomain}` },
      },
    })
    context.after(() => t.close())
    const who = (await listen(t.app))()
    const body = { linkName: 'x', integrationDefinitionId: t.definitionId }
    const path = `/link/${created(await t.call('POST', '/v1/link', { body })).linkId}`
    const form = await who.get(path)
    assert.equal(form.state, 'signIn')
    assert.match(form.text, /name="field.subdomain"/)
    assert.doesNotMatch(form.text, /name="field.access_token"/)
    const wrong = await who.send(form, { 'field.subdomain': 'NO!' })
    assert.equal(wrong.status, 422)
    assert.equal(wrong.data('data-attempt'), form.data('data-attempt'))
    assert.match(wordsOf(wrong), /Check Subdomain/)
    const gone = await who.send(wrong, { 'field.subdomain': 'north' })
    assert.equal(gone.status, 303, wordsOf(gone))
    assert.equal(new URL(gone.location ?? '').searchParams.get('shop'), 'north')
  })
})

describe('signing in at a certified provider', () => {
  it('connects from the page', async (context) => {
    const t = await startOAuthWorld()
    context.after(() => t.close())
    const body = { linkName: 'x', integrationDefinitionId: t.definitionId }
    const path = `/link/${created(await t.call('POST', '/v1/link', { body })).linkId}`
    const form = await t.browser.get(BASE_URL + path)
    const names = [...form.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(names.map(([, name = '', value = '']) => [name, value]))
    const gone = await t.browser.post(`${BASE_URL}${path}/sign-in`, fields)
    assert.equal(gone.status, 303, gone.text)
    const callback = await t.browser.signIn(gone.location ?? '')
    const done = await t.browser.get(callback)
    const page = await t.browser.get(done.location ?? '')
    assert.match(page.text, /data-state="connected"/)
  })
})
