import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { sandboxClock } from '../../../test/shared-runner.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'
import type { PageTestContext } from '../../connect/connect-page/test/page-test-context.ts'
import { createVisitor, pressStart } from '../../connect/connect-page/test/test-visitor.ts'
import { BASE_URL, newBrowser } from '../../connect/oauth-flow/test/browser.ts'
import { getMessages, LANGUAGES } from '../../platform/i18n/language.ts'

describeOnBothDatabases('Acme Sandbox', (newUrl) => {
  let t: PageTestContext
  let baseUrl = BASE_URL
  before(async () => {
    const catalogue = await loadCatalogue()
    const entries = catalogue.entries.filter(({ key }) => ['acme_sandbox', 'linear'].includes(key))
    const url = await newUrl()
    const options = { catalogue: { ...catalogue, entries }, url, baseUrl: () => baseUrl }
    t = await testContext({ pages: true, ...options })
  })
  after(() => t.close())

  const connect = (apiKey: string) =>
    t.call('POST', '/v1/integration_account', {
      body: {
        integrationDefinitionId: 'acme_sandbox',
        integrationAccountName: 'Sandbox',
        authType: 'Api Key',
        config: { api_key: apiKey },
      },
    })
  const read = (account: AnyBody, path: string) =>
    t.call('GET', `/v1/integration_account/${account.integrationAccountId}/proxy${path}`)
  const start = async (body: AnyBody = {}) => {
    const started = await t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: 'acme_sandbox',
        integrationAccountName: 'Sandbox',
        confirm: false,
        ...body,
      },
    })
    const browser = newBrowser(t.app)
    return { browser, url: await browser.begin(expectOk(started).redirectURL) }
  }
  const list = async () => expectOk(await t.call('GET', '/v1/integration_account'))
  const signIn = async (person: string) => {
    const { browser, url } = await start()
    const { location = '' } = await browser.post(url, { person })
    const finished = await browser.get(location)
    assert.equal(finished.status, 303, finished.text)
    return (await list()).at(-1)
  }

  it('accepts the key good, and its API answers through the proxy', async () => {
    const account = expectCreated(await connect('good'))
    const { tickets } = expectOk(await read(account, '/tickets'))
    assert.equal(tickets.length, 3)
    const page = await read(account, '/tickets?per_page=2')
    assert.match(String(page.headers.link), /page=2>; rel="next"/)
    assert.equal((await read(account, '/tickets/ticket_9')).status, 404)
    assert.equal((await read(account, '/limited')).headers['retry-after'], '30')
    const echo = expectOk(await read(account, '/echo'))
    assert.ok(!JSON.stringify(echo).includes('good'), 'the key is not repeated')
    const path = `/v1/integration_account/${account.integrationAccountId}/proxy/tickets`
    const created = await t.call('POST', path, { body: { title: 'Broken chair' } })
    assert.equal(created.status, 201)
    assert.equal((await t.call('POST', path, { body: {} })).status, 422)
    assert.equal((await t.call('POST', path, { body: { title: 'x'.repeat(70_000) } })).status, 413)
  })

  it('rejects the key bad; flaky works every other time', async () => {
    expectError(await connect('bad'), 'credentials_rejected')
    const statuses = [(await connect('flaky')).status, (await connect('flaky')).status]
    assert.deepEqual(statuses.toSorted(), [201, 502])
  })

  it('is offered where customers are only if a link or a session names it', async () => {
    for (baseUrl of ['https://connect.example.com', 'https://localhost.example.com']) {
      const { port } = t.app.server.address() as AddressInfo
      const visitor = createVisitor(`http://127.0.0.1:${port}`, baseUrl)
      assert.doesNotMatch((await visitor.get(await t.link())).text, /Acme Sandbox/)
      const named = await visitor.get(await t.link({ integrationDefinitionId: 'acme_sandbox' }))
      assert.match(named.text, /Acme Sandbox/)
      const body = { integrationDefinitionIds: ['acme_sandbox'] }
      const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
      const opened = await pressStart(visitor, session.url)
      assert.match((await visitor.get(opened.location ?? '')).text, /Acme Sandbox/)
    }
    baseUrl = BASE_URL
  })

  it('is the first of the list on localhost, with the badge Test in each language', async () => {
    for (baseUrl of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000']) {
      const { text } = await t.visitor().get(await t.link())
      const [first, ...others] = [...text.matchAll(/data-key="(\w+)"/g)].map(([, key]) => key)
      assert.equal(first, 'acme_sandbox')
      assert.ok(others.includes('linear'))
    }
    baseUrl = BASE_URL
    const link = await t.link()
    for (const language of LANGUAGES) {
      const { text } = await t.visitor().get(`${link}?lang=${language}`)
      const [, badge] = /Acme Sandbox<\/bdi> <span class="badge"[^>]*>([^<]+)</.exec(text) ?? []
      assert.equal(badge, getMessages(language).picker.test, language)
    }
  })

  it('can be connected both ways from the list, before anything has created its OAuth app', async () => {
    const { body: workspace } = await t.call('POST', '/v1/workspace', { body: { name: 'New' } })
    const { workspaceId } = workspace
    const link = await t.link({ workspaceId })
    const page = await t.visitor().get(`${link}?integration=acme_sandbox`)
    assert.match(page.text, /Continue to <?.*Acme Sandbox/)
    assert.match(page.text, /Use an API key/)
  })

  it('signs a person in on a page of this service, with one OAuth app per workspace', async () => {
    const { browser, url } = await start()
    assert.ok(url.startsWith(`${BASE_URL}/sandbox/authorize?`), url)
    const page = await browser.get(url)
    assert.equal(page.status, 200)
    assert.match(page.text, /Continue as <?.*Ada Example/)
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    const account = await signIn('person_ada')
    assert.equal(expectOk(await read(account, '/me')).email, 'ada@acme.example')
    const { length } = expectOk(await t.call('GET', '/v1/integration_oauth'))
    assert.equal(length, 1)
  })

  it('refreshes tokens, which expire after a minute', async () => {
    const account = await signIn('person_grace')
    const readToken = async () => {
      const path = `/v1/integration_account/${account.integrationAccountId}/credentials`
      return expectOk(await t.call('GET', path)).config.access_token
    }
    const first = await readToken()
    sandboxClock.aheadMs = 61_000
    try {
      assert.equal(expectOk(await read(account, '/me')).name, 'Grace Example')
    } finally {
      sandboxClock.aheadMs = 0
    }
    assert.notEqual(await readToken(), first)
  })

  it('connects nothing when the person denies', async () => {
    const { browser, url } = await start()
    const count = (await list()).length
    const { location = '' } = await browser.post(url, { deny: '1' })
    assert.equal(new URL(location).searchParams.get('error'), 'access_denied')
    await browser.get(location)
    assert.equal((await list()).length, count)
  })

  it('redirects only to the callback of this service, and only for complete requests', async () => {
    const { browser, url } = await start()
    const wrong: [string, string][] = [
      ['redirect_uri', 'https://elsewhere.example/'],
      ['client_id', 'another'],
      ['response_type', 'token'],
      ['code_challenge_method', 'plain'],
      ['code_challenge', ''],
      ['state', ''],
    ]
    for (const [name, value] of wrong) {
      const changed = new URL(url)
      changed.searchParams.set(name, value)
      assert.equal((await browser.get(changed.href)).status, 400, name)
      const answered = await browser.post(changed.href, { person: 'person_ada' })
      assert.deepEqual([answered.status, answered.location], [400, undefined], name)
    }
    assert.equal((await browser.post(url, { person: 'person_eve' })).status, 400)
  })

  it('removes its API for a token that was changed', async () => {
    const account = await signIn('person_ada')
    const path = `/v1/integration_account/${account.integrationAccountId}/credentials`
    const token: string = expectOk(await t.call('GET', path)).config.access_token
    const [prefix, payload = ''] = token.split('.')
    const grant = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...grant, person: 'person_grace' }))
    const config = { api_key: `${prefix}.${forged.toString('base64url')}.${token.split('.')[2]}` }
    expectError(await connect(config.api_key), 'credentials_rejected')
    expectCreated(await connect(token))
  })
})
