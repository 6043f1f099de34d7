import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createFactsBundle, SITE_FACT } from '../../../../test/facts-bundle.ts'
import { expectOk, type TestContextWith, testContext } from '../../../../test/test-context.ts'
import { newBrowser } from '../test/browser.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  respondWithJson,
} from '../test/stub-provider-context.ts'

const ACME = { value: 's1', label: 'Acme <b>&' }
const BETA = { value: 's2', label: 'Beta' }
const code = (url: string, auth: Record<string, unknown>) =>
  createFactsBundle(url, { auth: { OAuth2: { ...auth, 'x-facts': [SITE_FACT] } } })

describe('facts after a sign-in', () => {
  let t: TestContextWith<{ provider: { code: typeof code } }>
  let connected: unknown
  before(async () => {
    t = await testContext({ provider: { code } })
    t.stubServer.serve('/checked', (_request, response) => response.end('{}'))
    t.stubServer.serve('/facts', (_request, response) => response.end(JSON.stringify(connected)))
  })
  beforeEach(() => {
    connected = { choices: { cloud_id: [ACME, BETA] } }
  })
  after(() => t.close())

  const read = async (id: string) => expectOk(await t.call('GET', `/v1/integration_account/${id}`))
  const ask = async (body: Record<string, unknown> = {}) => {
    const { status, location = '' } = await t.completeFlow(body)
    assert.equal(status, 303)
    assert.match(location, /^http:\/\/localhost:3000\/oauth\/finished\/att_\w+$/)
    return location
  }
  const answer = (url: string, value: string) => t.browser.post(url, { 'fact.cloud_id': value })

  it('are stored when there is one', async () => {
    connected = { choices: { cloud_id: [BETA] } }
    const { integrationAccountId } = getReturnParams(await t.completeFlow())
    assert.deepEqual((await read(integrationAccountId)).facts, { cloud_id: BETA })
  })

  it('have one page with a select when there are several, whose texts of the provider are escaped', async () => {
    const count = await t.countAccounts()
    const page = await t.browser.get(await ask())
    expectPage(page, 200)
    assert.match(page.text, /<select[^>]* name="fact\.cloud_id"[^>]* required/)
    assert.match(page.text, /<bdi>Site<\/bdi>/)
    assert.match(page.text, /<option dir="auto" value="s1">Acme &#60;b&#62;&#38;<\/option>/)
    assert.equal(await t.countAccounts(), count)
  })

  it('have a page in the language of the browser', async () => {
    const page = await t.browser.get(await ask(), { 'accept-language': 'de' })
    assert.match(page.text, /<bdi>Standort<\/bdi>/)
    assert.match(page.text, /Was möchten Sie in/)
  })

  it('the answer ends the sign-in at the host application, and is stored', async () => {
    const url = await ask()
    const { integrationAccountId, success } = getReturnParams(await answer(url, 's2'))
    assert.equal(success, 'true')
    const account = await read(integrationAccountId)
    assert.deepEqual([account.facts, account.status], [{ cloud_id: BETA }, 'active'])
    assert.deepEqual(account.identity, { id: 'user-1', label: 'ann@acme.test' })
  })

  it('a second click changes nothing and shows the same result', async () => {
    const url = await ask()
    const first = getReturnParams(await answer(url, 's1'))
    const count = await t.countAccounts()
    const second = await answer(url, 's2')
    assert.deepEqual(getReturnParams(await t.browser.get(second.location ?? '')), first)
    assert.equal(await t.countAccounts(), count)
    assert.equal((await read(first.integrationAccountId)).facts.cloud_id.value, 's1')
  })

  it('a value that is not in the list of the provider brings the page again', async () => {
    const url = await ask()
    const count = await t.countAccounts()
    for (const value of ['s3', '', 'constructor']) {
      assert.equal((await answer(url, value)).location, url)
      expectPage(await t.browser.get(url), 200)
    }
    assert.equal(await t.countAccounts(), count)
    getReturnParams(await answer(url, 's1'))
  })

  it('another browser and another site cannot answer', async () => {
    const url = await ask()
    const other = newBrowser(t.app)
    assert.equal((await other.post(url, { 'fact.cloud_id': 's1' })).status, 404)
    assert.equal((await other.get(url)).status, 404)
    const fields = { 'fact.cloud_id': 's1' }
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    assert.equal((await t.browser.post(url, fields, headers)).status, 404)
    assert.equal((await t.browser.get(url)).status, 200)
  })

  it('`config` of the start names one of them, so that there is no page', async () => {
    const preset = { config: { cloud_id: 's2' } }
    const { integrationAccountId } = getReturnParams(await t.completeFlow(preset))
    assert.deepEqual((await read(integrationAccountId)).facts, { cloud_id: BETA })
    await ask({ config: { cloud_id: 's3' } })
  })

  it('a reconnect keeps them if it can, asks otherwise, and publishes what has changed', async () => {
    const first = await t.completeFlow({ config: { cloud_id: 's2' } })
    const { integrationAccountId } = getReturnParams(first)
    getReturnParams(await t.completeFlow({ integrationAccountId }))
    assert.deepEqual((await read(integrationAccountId)).facts, { cloud_id: BETA })
    connected = { choices: { cloud_id: [ACME, { value: 's9' }] } }
    getReturnParams(await answer(await ask({ integrationAccountId }), 's9'))
    const { facts } = await read(integrationAccountId)
    assert.deepEqual(facts, { cloud_id: { value: 's9', label: null } })
    const events = expectOk(await t.call('GET', '/v1/event?wait=20&types=account.facts_changed'))
    assert.deepEqual(
      events.map(({ subject, data }: { subject: string; data: { changed: string[] } }) => [
        subject,
        data.changed,
      ]),
      [[integrationAccountId, ['cloud_id']]],
    )
  })

  it('without any, the sign-in fails', async () => {
    connected = { choices: { cloud_id: [] } }
    const { error } = getReturnParams(await t.completeFlow())
    assert.equal(error, 'credentials_rejected')
  })

  it('an unanswered question ends after ten minutes', async () => {
    const url = await ask()
    const { pathname } = new URL(url)
    const sessionId = pathname.split('/').at(-1) ?? ''
    await t.database.transaction((trx) =>
      trx
        .updateTable('oauth_sessions')
        .set({ expires_at: Date.now() - 1 })
        .where('attempt_id', '=', sessionId as never)
        .execute(),
    )
    const count = await t.countAccounts()
    await answer(url, 's1')
    assert.equal(await t.countAccounts(), count)
    assert.equal(getReturnParams(await t.browser.get(url)).success, 'false')
  })

  it('the ID token is known while they are looked for, and is not stored', async () => {
    t.respondToToken = respondWithJson(200, {
      access_token: 'at_2',
      refresh_token: 'rt_2',
      id_token: 'e30.e30.c2ln',
    })
    connected = { facts: { cloud_id: ACME } }
    const state = await t.begin(await t.start())
    const response = await t.callback({ state, code: 'a-code', iss: ISSUER })
    const { integrationAccountId } = getReturnParams(response)
    const token = await t.createToken({ scopes: ['credentials:read'] })
    const path = `/v1/integration_account/${integrationAccountId}/credentials`
    const { config } = expectOk(await t.call('GET', path, { token }))
    assert.deepEqual([config.id_token, config.cloud_id], [undefined, 's1'])
    assert.ok(t.stubServer.requests.some((each) => /^GET \/facts\?.*id_token/.test(each)))
  })
})
