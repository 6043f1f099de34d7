// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of templates

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createFactsBundle, SITE_FACT } from '../../../test/facts-bundle.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

const ACME = { value: 's1', label: 'Acme' }
const BETA = { value: 's2', label: 'Beta' }

describe('facts of accounts', () => {
  let t: TestContext
  let integrationDefinitionId: string
  let connected: unknown
  let apiRequests: string[]
  before(async () => {
    t = await testContext()
    t.stubServer.serve('/checked', (_request, response) => response.end('{}'))
    t.stubServer.serve('/facts', (_request, response) => response.end(JSON.stringify(connected)))
    for (const site of ['s1', 's2', 'a%2Fb%20c'])
      t.stubServer.serve(`/api/${site}/issues`, (request, response) => {
        apiRequests.push(`${request.url} ${request.headers['x-site']}`)
        response.end('{}')
      })
    integrationDefinitionId = await define()
  })
  beforeEach(() => {
    apiRequests = []
    connected = { choices: { cloud_id: [ACME] } }
    t.stubServer.requests.length = 0
  })
  after(() => t.close())

  async function define(facts: readonly object[] = [SITE_FACT]): Promise<string> {
    const code = createFactsBundle(t.stubServer.url, { facts })
    return (await t.createDefinition({ code })).integrationDefinitionId ?? ''
  }
  const post = (config: object = {}, more: object = {}) =>
    t.call('POST', '/v1/integration_account', {
      body: {
        integrationDefinitionId,
        integrationAccountName: 'Acme',
        authType: 'Api Key',
        config: { api_key: 'key_that_works', ...config },
        ...more,
      },
    })
  const create = async (config?: object, more?: object) => expectCreated(await post(config, more))
  const update = (id: string, config: object) =>
    t.call('POST', `/v1/integration_account/${id}`, { body: { config } })
  const read = async (id: string) => expectOk(await t.call('GET', `/v1/integration_account/${id}`))

  it('POST /v1/integration_account: stores the only item of a list, after CHECK', async () => {
    const account = await create()
    assert.deepEqual(account.facts, { cloud_id: ACME })
    assert.deepEqual((await read(account.integrationAccountId)).facts, account.facts)
    const list = expectOk(await t.call('GET', '/v1/integration_account'))
    assert.deepEqual(list[0].facts, account.facts)
    assert.deepEqual(account.integrationConfiguration, {})
    assert.deepEqual(
      t.stubServer.requests.map((request) => request.split('?', 1)[0]),
      ['GET /checked', 'GET /facts'],
    )
  })

  it('a fact is known to the base URL and the headers of requests through the proxy', async () => {
    const { integrationAccountId } = await create()
    const path = `/v1/integration_account/${integrationAccountId}/proxy/issues`
    const response = await t.call('GET', path)
    assert.equal(response.status, 200)
    assert.deepEqual(apiRequests, ['/api/s1/issues s1'])
    const { headers } = expectOk(
      await t.call('GET', `/v1/integration_account/${integrationAccountId}/credentials`),
    )
    assert.equal(headers['x-site'], 's1')
  })

  it('a fact is known to the path of a request through the proxy, at its start as an address of x-hosts', async () => {
    const proxied = async (id: string, path: string) =>
      t.call('GET', `/v1/integration_account/${id}/proxy/${path}`)
    connected = { facts: { cloud_id: { value: 's2' } } }
    const { integrationAccountId: id } = await create()
    t.stubServer.serve('/api/s2/of/s2', (request, response) => {
      apiRequests.push(request.url ?? '')
      response.end('{}')
    })
    assert.equal((await proxied(id, 'of/${cloud_id}?x=$%7Bcloud_id%7D')).status, 200)
    assert.deepEqual(apiRequests, ['/api/s2/of/s2?x=s2'])
    const unknown = await proxied(id, 'of/$%7Bapi_key%7D')
    assert.notEqual(unknown.status, 200)
    assert.doesNotMatch(JSON.stringify(t.stubServer.requests), /key_that_works/)
    connected = { facts: { cloud_id: { value: 'https://evil.example' } } }
    const other = await create()
    expectError(
      await proxied(other.integrationAccountId, '${cloud_id}/x'),
      'proxy_target_not_allowed',
    )
  })

  it('a fact cannot leave its part of the URL', async () => {
    connected = { facts: { cloud_id: { value: 'a/b c' } } }
    const { integrationAccountId } = await create()
    const path = `/v1/integration_account/${integrationAccountId}/proxy/issues`
    assert.equal((await t.call('GET', path)).status, 200)
    assert.deepEqual(apiRequests, ['/api/a%2Fb%20c/issues a/b c'])
    connected = { facts: { cloud_id: { value: '..' } } }
    const other = await create()
    const refused = await t.call(
      'GET',
      `/v1/integration_account/${other.integrationAccountId}/proxy/issues`,
    )
    expectError(refused, 'proxy_unavailable')
  })

  it('POST /v1/integration_account: of several, `config` chooses one of the list', async () => {
    connected = { choices: { cloud_id: [ACME, BETA] } }
    const { errors } = expectError(await post(), 'choice_required')
    assert.deepEqual(errors, {
      'config.cloud_id': [
        { code: 'choice', message: 'Acme', value: 's1' },
        { code: 'choice', message: 'Beta', value: 's2' },
      ],
    })
    assert.deepEqual((await create({ cloud_id: 's2' })).facts, { cloud_id: BETA })
    expectError(await post({ cloud_id: 's3' }), 'choice_required')
  })

  it('POST /v1/integration_account: CHECK never sees a value that was typed for a fact', async () => {
    connected = { choices: { cloud_id: [ACME, BETA] } }
    await create({ cloud_id: 's2' })
    assert.deepEqual(t.stubServer.requests[0], 'GET /checked?api_key&authType')
  })

  it('POST /v1/integration_account: `first` takes the first, `all` stores every one', async () => {
    connected = { choices: { cloud_id: [ACME, BETA] } }
    const integrationDefinitionIds = [
      await define([{ ...SITE_FACT, pick: 'first' }]),
      await define([{ ...SITE_FACT, pick: 'all' }]),
    ] as const
    const [first, all] = integrationDefinitionIds
    assert.deepEqual((await create({}, { integrationDefinitionId: first })).facts, {
      cloud_id: ACME,
    })
    const chosen = await create({ cloud_id: 's2' }, { integrationDefinitionId: first })
    assert.deepEqual(chosen.facts, { cloud_id: BETA })
    assert.deepEqual((await create({}, { integrationDefinitionId: all })).facts, {
      cloud_id: { ...ACME, all: [ACME, BETA] },
    })
  })

  it('POST /v1/integration_account: `all` stores at most 50', async () => {
    const many = Array.from({ length: 60 }, (_, at) => ({ value: `s${at}`, label: 'Site' }))
    connected = { choices: { cloud_id: many } }
    const all = await define([{ ...SITE_FACT, pick: 'all' }])
    const { facts } = await create({}, { integrationDefinitionId: all })
    assert.equal(facts.cloud_id.all.length, 50)
  })

  it('POST /v1/integration_account: without any it is refused, and says what to do', async () => {
    for (const none of [{}, null, [], { choices: { cloud_id: [] } }, { facts: { other: ACME } }]) {
      connected = none
      const { errors } = expectError(await post(), 'credentials_rejected')
      assert.match(errors.config[0].message, /access to none: Site/)
    }
  })

  it('POST /v1/integration_account: values and labels of the provider are bounded', async () => {
    const label = `\u0000${'<b>'.repeat(1_000)}`
    connected = {
      choices: {
        cloud_id: Array.from({ length: 2_000 }, (_, at) => ({
          value: `s${at}`,
          ...(at === 0 && { label }),
        })),
      },
    }
    const { errors } = expectError(await post(), 'choice_required')
    assert.equal(errors['config.cloud_id'].length, 100)
    assert.equal(errors['config.cloud_id'][0].message.length, 200)
    const hostile = [7, null, { value: {} }, { value: '' }, { value: 'a\nb' }, { value: '\ud800' }]
    connected = { choices: { cloud_id: [...hostile, { value: 'x'.repeat(501) }, ACME, ACME] } }
    assert.deepEqual((await create()).facts, { cloud_id: ACME })
    for (const wrong of ['sites', 7, { length: 1 }, null]) {
      connected = { choices: { cloud_id: wrong } }
      expectError(await post(), 'credentials_rejected')
    }
  })

  it('POST /v1/integration_account: a failed request for facts stores nothing', async () => {
    connected = { status: false, error: 'No.', code: 'insufficient_scope' }
    expectError(await post(), 'credentials_rejected')
    connected = undefined
    expectError(await post(), 'integration_failed')
  })

  it('POST /v1/integration_account/{id}: changes a fact to a value of the list, without secrets', async () => {
    connected = { choices: { cloud_id: [ACME, BETA] } }
    const { integrationAccountId: id } = await create({ cloud_id: 's1' })
    const changed = expectOk(await update(id, { cloud_id: 's2' }))
    assert.deepEqual(changed.facts, { cloud_id: BETA })
    expectError(await update(id, { cloud_id: 's3' }), 'choice_required')
    assert.deepEqual((await read(id)).facts, { cloud_id: BETA })
    const path = `/v1/integration_account/${id}/proxy/issues`
    await t.call('GET', path)
    assert.deepEqual(apiRequests, ['/api/s2/issues s2'])
  })

  it('account.facts_changed names the facts that a change has changed, and only those', async (context) => {
    connected = { choices: { cloud_id: [ACME, BETA] } }
    const { integrationAccountId: id } = await create({ cloud_id: 's1' })
    expectOk(await update(id, { api_key: 'another' }))
    expectOk(await update(id, { cloud_id: 's2' }))
    // Another test has changed facts, too: its event may be numbered by now, or not.
    const events = await context.waitFor(
      async () => {
        const all = expectOk(await t.call('GET', '/v1/event?types=account.facts_changed'))
        const own = all.filter(({ subject }: { readonly subject: string }) => subject === id)
        assert.equal(own.length, 1)
        return own
      },
      { timeout: 20_000 },
    )
    assert.deepEqual(events[0].data.changed, ['cloud_id'])
    assert.deepEqual(events[0].data.account.facts, { cloud_id: BETA })
  })

  it('POST /v1/integration_account/{id}: new credentials keep the fact if they have it', async () => {
    connected = { choices: { cloud_id: [ACME, BETA] } }
    const { integrationAccountId: id } = await create({ cloud_id: 's2' })
    const kept = expectOk(await update(id, { api_key: 'another' }))
    assert.deepEqual(kept.facts, { cloud_id: BETA })
    connected = { choices: { cloud_id: [ACME] } }
    assert.deepEqual(expectOk(await update(id, { api_key: 'third' })).facts, { cloud_id: ACME })
  })

  it('DELETE /v1/integration_account/{id}: erases the facts', async () => {
    const { integrationAccountId: id } = await create()
    const deleted = expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    assert.deepEqual(deleted.facts, {})
  })
})
