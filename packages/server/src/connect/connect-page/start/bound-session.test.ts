import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { countRows, expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import { newId } from '../../../platform/storage/id.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import { HOST_ORIGIN, type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'
import {
  extractForm,
  type FetchedPage,
  getVisibleText,
  pressStart,
  type TestVisitor,
} from '../test/test-visitor.ts'

const describeSession = (hasLink: boolean) => (newUrl: NewDatabaseUrl) => {
  let t: PageTestContext
  let now = Date.now()
  let definitionId: string
  let linkId: string
  before(async () => {
    t = await testContext({ pages: true, now: () => now, url: await newUrl() })
    definitionId = (await defineDesk(t)).definitionId
    const body = { linkName: 'a', integrationDefinitionId: definitionId }
    linkId = expectCreated(await t.call('POST', '/v1/link', { body })).linkId
  })
  after(() => t.close())

  /** Both offer the desk alone, so that its form is the first page. */
  const policy = (): AnyBody =>
    hasLink ? { linkId } : { integrationDefinitionIds: [definitionId] }
  const create = async (body: AnyBody = {}) =>
    expectCreated(
      await t.call('POST', '/v1/connect_session', {
        body: { ...policy(), accountIdentifier: 'customer-1', ...body },
      }),
    )
  const getSession = async ({ connectSessionId }: AnyBody) =>
    expectOk(await t.call('GET', `/v1/connect_session/${connectSessionId}`))
  const press = async (visitor: TestVisitor, { url }: AnyBody) => pressStart(visitor, url)
  /** Presses the button and returns the form of the desk. */
  const open = async (visitor: TestVisitor, session: AnyBody): Promise<FetchedPage> => {
    const pressed = await press(visitor, session)
    assert.equal(pressed.status, 303, pressed.text)
    return visitor.get(pressed.location ?? '')
  }
  const identifiers = async () =>
    (await t.database.read.selectFrom('accounts').select('account_identifier').execute()).map(
      (row) => row.account_identifier,
    )

  it('is opened by its button, and completed by its account', async () => {
    const session = await create({ redirectURL: RETURN_URL, tags: { plan: 'pro' } })
    assert.deepEqual(session.tags, { plan: 'pro' })
    const visitor = t.visitor()
    const start = await visitor.get(session.url)
    assert.equal(start.state, 'form')
    assert.match(getVisibleText(start), /Connect Desk to Acme/)
    const form = await open(visitor, session)
    assert.equal(form.state, 'form')
    assert.ok(form.url.includes(`/connect/${session.connectSessionId}`), form.url)
    for (const secret of [session.token, linkId]) assert.ok(!form.text.includes(secret), secret)
    assert.equal((await getSession(session)).status, 'opened')
    const submitted = await visitor.submit(form, createValidFormValues(t))
    assert.equal(submitted.status, 303, submitted.text)
    const done = await visitor.get(submitted.location ?? '')
    assert.equal(done.state, 'connected')
    const completed = await getSession(session)
    assert.equal(completed.status, 'completed')
    const [id] = completed.integrationAccountIds
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    const accountLinkId = hasLink ? linkId : null
    assert.equal(completed.linkId, accountLinkId)
    assert.deepEqual([account.accountIdentifier, account.linkId], ['customer-1', accountLinkId])
    assert.deepEqual(account.tags, { plan: 'pro' })
    const created = await t.database.read
      .selectFrom('events')
      .select('data')
      .where('subject', '=', id)
      .where('type', '=', 'account.created')
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(created.data).connectSessionId, session.connectSessionId)
    const back = /href="(https:\/\/app\.example[^"]*)"/.exec(done.plain)?.[1] ?? ''
    assert.match(back, new RegExp(`connectSessionId=${session.connectSessionId}`))
    assert.doesNotMatch(back, /linkId/)
    assert.equal((await visitor.get(session.url)).status, 303)
    assert.equal((await visitor.get(form.url)).state, 'alreadyFinished')
    assert.equal((await visitor.submit(form, createValidFormValues(t))).state, 'alreadyFinished')
  })

  it('is opened by the form of its only tool, in one step, by one browser', async () => {
    const session = await create({ redirectURL: RETURN_URL })
    const path = `/connect/${session.connectSessionId}`
    const visitor = t.visitor()
    const late = t.visitor()
    const [form, lateForm] = [await visitor.get(session.url), await late.get(session.url)]
    assert.equal((await getSession(session)).status, 'created')
    // Anyone with the URL, such as a mail scanner, learns the tool and the workspace.
    assert.doesNotMatch(form.plain, /customer-1|app\.example/)
    assert.ok(extractForm(form).action.startsWith(`${path}/connect`))
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const values = createValidFormValues(t)
    assert.equal((await t.visitor().submit(form, values)).status, 303, 'sets a cookie first')
    assert.equal((await visitor.submit(form, values, crossSite)).status, 410)
    const other = await create()
    const foreign = { ...values, start: other.token }
    assert.equal((await visitor.submit(form, foreign)).status, 410)
    const withoutToken = { ...values, start: '' }
    assert.equal((await visitor.submit(form, withoutToken)).status, 410)
    assert.equal((await getSession(session)).status, 'created')
    const invalid = await visitor.submit(form, { ...values, 'field.code': 'abc' })
    assert.deepEqual([invalid.status, invalid.state], [422, 'failed'])
    assert.ok(!invalid.text.includes(session.token))
    assert.equal((await getSession(session)).status, 'opened')
    const refused = await late.submit(lateForm, values)
    assert.deepEqual([refused.status, refused.getData('data-reason')], [410, 'elsewhere'])
    const submitted = await visitor.submit(invalid, { ...values, 'field.code': 'ABC-12' })
    assert.ok(submitted.location?.includes(path), submitted.text)
    assert.equal((await visitor.get(submitted.location ?? '')).state, 'connected')
    assert.equal((await getSession(session)).status, 'completed')
  })

  it('stays usable after 100 GET and HEAD requests of scanners', async () => {
    const session = await create()
    const path = new URL(session.url).pathname
    for (let index = 0; index < 100; index += 1) {
      now += 1_000
      const method = index % 2 === 0 ? 'GET' : 'HEAD'
      const remoteAddress = `10.0.${index % 250}.7`
      const response = await t.app.inject({ method, url: path, remoteAddress })
      assert.equal(response.statusCode, 200)
    }
    now -= 100_000
    assert.equal((await getSession(session)).status, 'created')
    assert.equal((await open(t.visitor(), session)).state, 'form')
  })

  it('is bound to one of 30 browsers that press at once', async () => {
    const session = await create()
    const path = new URL(session.url).pathname
    const forms: {
      readonly remoteAddress: string
      readonly visit: string
      readonly cookie: string
    }[] = []
    for (let index = 0; index < 30; index += 1) {
      const remoteAddress = `10.${index}.0.7`
      const page = await t.app.inject({ url: path, remoteAddress })
      const visit = / name="visit" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
      forms.push({
        remoteAddress,
        visit,
        cookie: String(page.headers['set-cookie']).split(';')[0] ?? '',
      })
    }
    const presses = forms.map(({ remoteAddress, visit, cookie }) =>
      t.app.inject({
        method: 'POST',
        url: `${path}/open`,
        remoteAddress,
        headers: {
          cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: `visit=${visit}`,
      }),
    )
    const statuses = (await Promise.all(presses)).map(({ statusCode }) => statusCode)
    assert.deepEqual(
      [303, 410].map((status) => statuses.filter((one) => one === status).length),
      [1, 29],
    )
  })

  it('cannot be changed by 40 attempts; visitors without the token are refused alike; a plain link can', async () => {
    const body = new Set<string>()
    let attempts = 0
    const before = await countRows(t, 'accounts')
    for (const attempt of createAttempts()) {
      const response = await attempt()
      attempts += 1
      assert.equal(response.status, 410, `${attempt}: ${response.text}`)
      assert.equal(response.headers.get('set-cookie'), null, `${attempt}`)
      // Who has the token, or opened the session, learns why it has ended.
      if (response.getData('data-reason') === undefined)
        body.add(response.text.replaceAll(/nonce="[^"]*"/g, ''))
    }
    assert.ok(attempts >= 40, `${attempts}`)
    assert.equal(body.size, 1, [...body].join('\n\n'))
    // The replay comes after one that was allowed.
    assert.equal(await countRows(t, 'accounts'), before + 1)
    assert.deepEqual([...new Set(await identifiers())], ['customer-1'])
    const visitor = t.visitor()
    const page = await visitor.get(`/link/${linkId}?accountIdentifier=other`)
    await visitor.submit(page, createValidFormValues(t))
    assert.ok((await identifiers()).includes('other'), 'the control')
  })

  /** Each attempt returns the response to it. */
  function* createAttempts(): Generator<() => Promise<FetchedPage>> {
    const values = createValidFormValues(t)
    const names = [
      'accountIdentifier',
      'redirectURL',
      'integrationKeys',
      'linkId',
      'connectSessionId',
      'integrationAccountId',
      'workspaceId',
      'maxAccounts',
      'mode',
      'token',
    ]
    for (const name of names) {
      const change = `${name}=${encodeURIComponent(name === 'redirectURL' ? RETURN_URL : 'other')}`
      // In the query of the first page, of the form's page, of its action, and in a field of the form.
      yield async () => t.visitor().get(`${(await create()).url}?${change}`)
      yield async () => {
        const visitor = t.visitor()
        const form = await open(visitor, await create())
        return visitor.get(`${form.url}?${change}`)
      }
      yield async () => {
        const visitor = t.visitor()
        const { action, fields } = extractForm(await open(visitor, await create()))
        return visitor.post(`${action}&${change}`, { ...fields, ...values })
      }
      yield async () => {
        const visitor = t.visitor()
        const { action, fields } = extractForm(await open(visitor, await create()))
        return visitor.post(action, { ...fields, ...values, [name]: 'other' })
      }
    }
    yield* createForeignAttempts(values)
  }

  function* createForeignAttempts(
    values: Record<string, string>,
  ): Generator<() => Promise<FetchedPage>> {
    // Another browser: the token, the page, the form, the button.
    yield async () => {
      const session = await create()
      await open(t.visitor(), session)
      return t.visitor().get(session.url)
    }
    yield async () => t.visitor().get((await open(t.visitor(), await create())).url)
    yield async () => {
      const form = await open(t.visitor(), await create())
      return t.visitor().submit(form, values)
    }
    yield async () => {
      const session = await create()
      const [one, other] = [t.visitor(), t.visitor()]
      const start = await other.get(session.url)
      await open(one, session)
      return other.submit(start)
    }
    // The cookie of another session, under its own name and under that of this one.
    yield async () => {
      const visitor = t.visitor()
      await open(visitor, await create())
      return visitor.get((await open(t.visitor(), await create())).url)
    }
    yield async () => {
      const visitor = t.visitor()
      await open(visitor, await create())
      const [secret = ''] = visitor.jar.values()
      const form = await open(t.visitor(), await create())
      const name = `linchpin-connect-${new URL(form.url).pathname.split('_')[1]}`
      return t.visitor().get(form.url, { cookie: `${name}=${secret}` })
    }
    // The secret of another session in the header, and a form of another session.
    yield async () => {
      const form = await open(t.visitor(), await create())
      const visit = (await open(t.visitor(), await create())).getData('data-visit') ?? ''
      return t.visitor().get(form.url, { 'x-linchpin-visit': visit })
    }
    yield async () => {
      const visitor = t.visitor()
      const { fields } = extractForm(await open(visitor, await create()))
      const { action } = extractForm(await open(visitor, await create()))
      return visitor.post(action, { ...fields, ...values })
    }
    // From another site.
    yield async () => {
      const visitor = t.visitor()
      const start = await visitor.get((await create()).url)
      return visitor.submit(
        start,
        {},
        { 'sec-fetch-site': 'cross-site', origin: 'https://e.example' },
      )
    }
    yield async () => {
      const visitor = t.visitor()
      const form = await open(visitor, await create())
      return visitor.submit(form, values, {
        'sec-fetch-site': 'cross-site',
        origin: 'https://e.example',
      })
    }
    // After the end: replay, expiry, revocation, also of the link; unknown and malformed.
    yield async () => {
      const visitor = t.visitor()
      const form = await open(visitor, await create())
      await visitor.submit(form, values)
      const { action, fields } = extractForm(form)
      return visitor.post(action, {
        ...fields,
        ...values,
        attempt: randomBytes(16).toString('base64url'),
      })
    }
    for (const end of hasLink ? [revoke, expire, closeLink] : [revoke, expire]) {
      yield async () => {
        const session = await end(await create())
        return t.visitor().get(session.url)
      }
      yield async () => {
        const session = await create()
        const visitor = t.visitor()
        const start = await visitor.get(session.url)
        await end(session)
        return visitor.submit(start)
      }
      yield async () => {
        const session = await create()
        const visitor = t.visitor()
        const form = await open(visitor, session)
        await end(session)
        return visitor.submit(form, values)
      }
    }
    yield () => t.visitor().get(`/connect/cnt_${randomBytes(20).toString('base64url')}`)
    yield () => t.visitor().get(`/connect/${newId('cns', now)}`)
    yield () => t.visitor().get('/connect/nonsense')
    yield () => t.visitor().get(`/connect/${linkId}`)
  }

  async function revoke(session: AnyBody): Promise<AnyBody> {
    expectOk(await t.call('DELETE', `/v1/connect_session/${session.connectSessionId}`))
    return session
  }

  async function expire(session: AnyBody): Promise<AnyBody> {
    now += 1_801_000
    return session
  }

  async function closeLink(session: AnyBody): Promise<AnyBody> {
    await t.database.transaction((trx) =>
      trx
        .updateTable('connect_sessions')
        .set({ link_id: closedLinkId })
        .where('connect_session_id', '=', session.connectSessionId)
        .execute(),
    )
    return session
  }

  let closedLinkId: `lnk_${string}`
  before(async () => {
    const link = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'b' } }))
    expectOk(await t.call('DELETE', `/v1/link/${link.linkId}`))
    closedLinkId = link.linkId
  })

  it('shows given values locked or not at all, and refuses others', async () => {
    const config = { base_url: t.stubServer.url, region: 'eu' }
    const session = await create({ config, hiddenConfig: ['region'] })
    const visitor = t.visitor()
    const form = await open(visitor, session)
    assert.ok(form.plain.includes(t.stubServer.url))
    assert.doesNotMatch(form.text, /field\.(?:base_url|region)/)
    const key = { 'field.api_key': 'desk_live_canary_0123' }
    const refused = await visitor.submit(form, { ...key, 'field.region': 'us' })
    assert.equal(refused.status, 410)
    await visitor.submit(form, key)
    const [id] = (await getSession(session)).integrationAccountIds
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    const { base_url } = account.integrationConfiguration
    assert.equal(base_url, t.stubServer.url)
    const { config: stored } = expectOk(
      await t.call('GET', `/v1/integration_account/${id}/credentials`),
    )
    assert.equal(stored.region, 'eu')
  })

  it('runs in a frame, whose secret binds it', async () => {
    const session = await create()
    const visitor = t.visitor()
    const frameUrl = session.url.replace('/connect/', '/connect/frame/')
    const start = await visitor.get(frameUrl, { 'sec-fetch-dest': 'iframe' })
    assert.equal(start.state, 'sessionStart')
    assert.match(start.headers.get('content-security-policy') ?? '', new RegExp(HOST_ORIGIN))
    const form = await visitor.submit(start)
    assert.deepEqual([form.status, form.state], [200, 'form'])
    assert.equal(form.getData('data-path'), `/connect/frame/${session.connectSessionId}`)
    assert.equal(visitor.jar.size, 0)
    const visit = { 'x-linchpin-visit': form.getData('data-visit') ?? '' }
    const again = await visitor.get(frameUrl, visit)
    assert.equal((await visitor.get(again.location ?? '', visit)).state, 'form')
    const connected = await visitor.submit(form, createValidFormValues(t))
    assert.equal(connected.state, 'connected')
    const account = JSON.parse(connected.getData('data-account') ?? '{}')
    assert.deepEqual([account.linkId, account.connectSessionId], [null, session.connectSessionId])
    // Opened as a page of its own, a frame leads to the page, which asks for confirmation.
    const top = await t.visitor().get(frameUrl, { 'sec-fetch-dest': 'document' })
    assert.equal(top.location, session.url)
  })

  it('has the last error, and stores nothing once it was revoked during a check', async () => {
    const session = await create()
    const visitor = t.visitor()
    const form = await open(visitor, session)
    t.stubServer.serve('/told', async (_request, response) => {
      await revoke(session)
      response.end(JSON.stringify({ status: true }))
    })
    const before = await countRows(t, 'accounts')
    assert.equal((await visitor.submit(form, createValidFormValues(t))).status, 410)
    assert.equal(await countRows(t, 'accounts'), before)
    const desk = await defineDesk(t, { name: 'Desk 2' })
    desk.setCheckResponse({ status: false, error: 'no' })
    const other = await create()
    const second = t.visitor()
    await second.submit(await open(second, other), createValidFormValues(t))
    assert.equal((await getSession(other)).lastError.code, 'credentials_rejected')
    desk.setCheckResponse({ status: true })
  })

  it('is the only way to the page of a link with sessionsOnly', async () => {
    const body = { linkName: 'a', integrationDefinitionId: definitionId, sessionsOnly: true }
    const link = expectCreated(await t.call('POST', '/v1/link', { body }))
    assert.equal(link.sessionsOnly, true)
    const refused = await t.visitor().get(`/link/${link.linkId}`)
    assert.deepEqual([refused.status, refused.state], [403, 'sessionRequired'])
    const session = await create({ linkId: link.linkId })
    assert.equal((await open(t.visitor(), session)).state, 'form')
  })
}

describeOnBothDatabases('A connect session', describeSession(true))
describeOnBothDatabases('A connect session without a link', describeSession(false))
