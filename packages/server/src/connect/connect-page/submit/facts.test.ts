import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createFactsBundle } from '../../../../test/facts-bundle.ts'
import { expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import { pressStart } from '../test/test-visitor.ts'

const ACME = { value: 's1', label: 'Acme <b>&' }
const BETA = { value: 's2', label: 'Beta' }

describe('facts after a form with a key', () => {
  let t: PageTestContext
  let definitionId: string
  let connected: unknown
  before(async () => {
    t = await testContext({ pages: true })
    t.stubServer.serve('/checked', (_request, response) => response.end('{}'))
    t.stubServer.serve('/facts', (_request, response) => response.end(JSON.stringify(connected)))
    const code = createFactsBundle(t.stubServer.url)
    definitionId = (await t.createDefinition({ code, name: 'Facts' })).integrationDefinitionId ?? ''
  })
  beforeEach(() => {
    connected = { choices: { cloud_id: [ACME, BETA] } }
  })
  after(() => t.close())

  const key = { 'field.api_key': 'key_that_works' }
  const openForm = async (query = '') => {
    const visitor = t.visitor()
    const path = await t.link({ integrationDefinitionId: definitionId })
    return { visitor, form: await visitor.get(`${path}${query}`) }
  }
  const newestFacts = async () => {
    const accounts = expectOk(await t.call('GET', '/v1/integration_account'))
    return accounts.at(-1)?.facts
  }

  it('are stored when there is one', async () => {
    connected = { choices: { cloud_id: [BETA] } }
    const { visitor, form } = await openForm()
    assert.equal((await visitor.submit(form, key)).status, 303)
    assert.deepEqual(await newestFacts(), { cloud_id: BETA })
  })

  it('have one more field in the same form when there are several, escaped, and the answer is stored', async () => {
    const { visitor, form } = await openForm()
    const asked = await visitor.submit(form, key)
    assert.equal(asked.status, 422)
    assert.match(asked.text, /<select[^>]* name="field\.cloud_id"[^>]* required/)
    assert.match(asked.text, /value="s1"[^>]*>Acme &#60;b&#62;&#38;</)
    assert.doesNotMatch(asked.text, /key_that_works/)
    const connectedPage = await visitor.submit(asked, { ...key, 'field.cloud_id': 's2' })
    assert.equal(connectedPage.status, 303)
    assert.deepEqual(await newestFacts(), { cloud_id: BETA })
  })

  it('have a field in the language of the page', async () => {
    const { visitor, form } = await openForm('?lang=de')
    const asked = await visitor.submit(form, key)
    assert.match(asked.text, /<bdi>Standort<\/bdi>/)
  })

  it('a value that is not in the list of the provider brings the field again', async () => {
    const { visitor, form } = await openForm()
    const asked = await visitor.submit(form, { ...key, 'field.cloud_id': 's3' })
    assert.equal(asked.status, 422)
    assert.match(asked.text, /<select[^>]* name="field\.cloud_id"/)
  })

  it('a connect session may answer before', async () => {
    const link = { linkName: 'a', integrationDefinitionId: definitionId }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: link }))
    const session = expectCreated(
      await t.call('POST', '/v1/connect_session', {
        body: { linkId, config: { cloud_id: 's2' } },
      }),
    )
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    const form = await visitor.get(pressed.location ?? '')
    assert.equal((await visitor.submit(form, key)).status, 303)
    assert.deepEqual(await newestFacts(), { cloud_id: BETA })
  })

  it('a reconnect in the portal may change them: the field has the value until now', async () => {
    const account = await t.createAccount(definitionId, {
      accountIdentifier: 'customer-1',
      config: { api_key: 'key_that_works', cloud_id: 's2' },
    })
    const session = expectCreated(
      await t.call('POST', '/v1/connect_session', {
        body: { mode: 'manage', accountIdentifier: 'customer-1' },
      }),
    )
    const visitor = t.visitor()
    const portal = await visitor.get((await pressStart(visitor, session.url)).location ?? '')
    const href = /href="([^"]*reconnect[^"]*)"/.exec(portal.plain)?.[1] ?? ''
    const asked = await visitor.submit(await visitor.get(href), key)
    assert.equal(asked.status, 422)
    assert.match(asked.text, /<option dir="auto" value="s2" selected>/)
    const done = await visitor.submit(asked, { ...key, 'field.cloud_id': 's1' })
    assert.equal(done.status, 303, done.text)
    const path = `/v1/integration_account/${account.integrationAccountId}`
    assert.equal(expectOk(await t.call('GET', path)).facts.cloud_id.value, 's1')
  })
})
