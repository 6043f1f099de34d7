import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Catalogue, loadCatalogue } from '@linchpin/catalogue'
import {
  expectOk,
  hashAllTables,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { type ConsoleVisitor, type FormFields, signIn } from '../test/console-visitor.ts'
import { template, toData } from './own-api-values.ts'

const PATH = '/console/integrations/new/api'
const KEY = 'key_that_works_4711'

describe('/console/integrations/new/api', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  let count = 0
  before(async () => {
    const catalogue: Catalogue = { ...(await loadCatalogue()), entries: [] }
    t = await testContext({ catalogue })
    visitor = await signIn(t)
    t.stubServer.serve('/v1/me', ({ headers }, response) => {
      const isGood = headers['x-api-key'] === KEY
      response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
      response.end(
        isGood ? '{"user":{"id":7,"mail":"<b>ann</b>@acme.test"}}' : '{"error":"<i>no</i>"}',
      )
    })
  })
  after(() => t.close())

  /** An API with a key, as it is typed. */
  const typed = (): Record<string, string> => ({
    name: `Desk ${++count}`,
    kind: 'api_key',
    base: `${template('address')}/v1`,
    path: '/me',
    keyName: 'X-Api-Key',
    prefix: '',
    identityId: 'user.id',
    identityLabel: 'user.mail',
  })
  const post = async (fields: FormFields) => {
    await visitor.get(PATH)
    return visitor.post(PATH, fields)
  }
  const readEntry = async (location: string | undefined) => {
    const id = location?.split('/').at(3)
    return expectOk(await t.call('GET', `/v1/integration_definition/${id}/entry`)).entry
  }

  it('adds an integration from the least that can be typed, and leads to it', async () => {
    const { status, location } = await post({ ...typed(), do: 'save' })
    assert.equal(status, 303)
    assert.match(location ?? '', /^\/console\/integrations\/def_\w+$/)
    const entry = await readEntry(location)
    assert.equal(entry.hosts, 'any')
    assert.deepEqual(Object.keys(toData(toData(entry.auth['Api Key']).fields)), [
      'api_key',
      'address',
    ])
    const { visible } = await visitor.get(location ?? '')
    assert.match(visible, /Edit/)
  })

  it('leads to the OAuth app of an integration with OAuth 2', async () => {
    const { location } = await post({
      ...typed(),
      kind: 'oauth2',
      base: 'https://api.acme.example',
      authorize: 'https://acme.example/authorize',
      token: 'https://id.acme.example/token',
      do: 'save',
    })
    assert.match(location ?? '', /\/def_\w+\/oauth-app$/)
    assert.deepEqual((await readEntry(location)).hosts, ['api.acme.example', 'id.acme.example'])
  })

  it('names all missing fields at once, and keeps what was typed', async () => {
    const { status, text, visible } = await post({ kind: 'oauth2', scopes: 'a b', do: 'save' })
    assert.equal(status, 422)
    assert.equal(visible.match(/Enter a value\./g)?.length, 5)
    for (const name of ['name', 'authorize', 'token', 'base', 'path'])
      assert.match(text, new RegExp(`id="${name}"[^>]*aria-invalid="true"`))
    assert.match(text, /id="scopes"[^>]* value="a b"/)
  })

  it('shows what the API finds wrong at the field that it concerns', async () => {
    for (const [fields, name, message] of [
      [{ base: 'http://api.acme.example' }, 'base', /Write an https URL/],
      [{ path: 'me' }, 'path', /Write a path/],
    ] as const) {
      const { status, text, visible } = await post({ ...typed(), ...fields, do: 'save' })
      assert.equal(status, 422, visible)
      assert.match(text, new RegExp(`id="${name}"[^>]*aria-invalid="true"`), visible)
      assert.match(visible, message)
    }
  })

  it('says that the hosts of an address in the token response have to be listed', async () => {
    const fields = {
      ...typed(),
      kind: 'oauth2',
      authorize: 'https://acme.example/authorize',
      token: 'https://acme.example/token',
      base: template('api_domain'),
      tokenResponse: 'api_domain',
    }
    const { visible } = await post({ ...fields, do: 'save' })
    assert.match(visible, /list the hosts that it can lead to/)
    const { location } = await post({ ...fields, hosts: '*.acme.example', do: 'save' })
    assert.deepEqual((await readEntry(location)).hosts, ['*.acme.example', 'acme.example'])
  })

  it('tries the check, shows what came back without running it, and stores nothing', async () => {
    const before = await hashAllTables(t)
    const missing = await post({ ...typed(), do: 'try' })
    assert.match(missing.text, /id="try-api_key-address"[^>]*aria-invalid="true"/)
    const fields = {
      ...typed(),
      'try-api_key-api_key': KEY,
      'try-api_key-address': t.stubServer.url,
    }
    const good = await post({ ...fields, do: 'try' })
    assert.match(good.visible, /The credentials work ID of the user 7 Name of the user/)
    assert.ok(!good.text.includes('<b>ann'))
    assert.match(good.text, /<option value="user\.mail">/)
    const bad = await post({ ...fields, 'try-api_key-api_key': 'another_key', do: 'try' })
    assert.match(bad.visible, /The check failed .* 401/)
    assert.ok(!bad.text.includes('<i>no'))
    assert.equal(await hashAllTables(t), before)
  })

  it('shows the connect page in a frame without scripts, or why it cannot', async () => {
    const { text, headers } = await post({ ...typed(), name: '<b>Acme', do: 'preview' })
    assert.match(text, /API key/)
    assert.ok(!text.includes('<b>Acme'))
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src/)
    const invalid = await post({ ...typed(), base: 'http://a', do: 'preview' })
    assert.match(invalid.text, /There is no preview yet/)
  })

  it('goes to JSON and back without losing what the form does not show', async () => {
    const { text } = await post({ ...typed(), do: 'json' })
    assert.match(text, /<textarea id="json"/)
    const json = JSON.stringify({
      hosts: ['api.acme.example'],
      retry: { remaining: 'x-left' },
      auth: {
        Key: {
          headers: { 'X-Key': template('k') },
          fields: { k: { title: 'Key', secret: true, help: 'Here.', minLength: 4 } },
        },
      },
      check: { get: '/me' },
    })
    const broken = await visitor.post(PATH, { json: '{', do: 'save' })
    assert.match(broken.visible, /not valid JSON/)
    await visitor.post(PATH, { json, do: 'form' })
    const { location } = await visitor.post(PATH, {
      name: `Desk ${++count}`,
      path: '/you',
      do: 'save',
    })
    const { retry, auth, check } = await readEntry(location)
    assert.deepEqual([retry, check], [{ remaining: 'x-left' }, { get: '/you' }])
    assert.equal(auth.Key.fields.k.minLength, 4)
  })

  it('changes an integration: shows what changes first, then upgrades it', async () => {
    const { location } = await post({ ...typed(), do: 'save' })
    const path = `${location}/entry`
    assert.match((await visitor.get(path)).text, /id="path"[^>]* value="\/me"/)
    const review = await visitor.post(path, { path: '/users/me', do: 'save' })
    assert.match(review.visible, /1\.0\.0 → 1\.0\.1/)
    assert.deepEqual((await readEntry(location)).check, { get: '/me' })
    assert.match(review.text, /name="json"/)
    const applied = await visitor.post(path, { do: 'apply' })
    assert.equal(applied.location, location)
    assert.deepEqual((await readEntry(location)).check, { get: '/users/me' })
  })

  it('leads from an integration that is code to its versions', async () => {
    const { integrationDefinitionId: id } = await t.createDefinition()
    const { location } = await visitor.get(`/console/integrations/${id}/entry`)
    assert.equal(location, `/console/integrations/${id}/upgrade`)
  })

  it('is read-only for a viewer', async () => {
    const other = await testContext()
    const viewer = await signIn(other, { role: 'viewer' })
    const { text } = await viewer.get(PATH)
    assert.match(text, /<fieldset class="plain stack" disabled>/)
    assert.equal((await viewer.post(PATH, { ...typed(), do: 'save' })).status, 403)
    await other.close()
  })
})
