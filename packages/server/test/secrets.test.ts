import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from './mini-bundle.ts'
import type { CallOptions, TestResponse } from './test-app.ts'
import {
  databaseBytes,
  databaseFile,
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from './test-context.ts'

const NAMES = [
  'apiKey',
  'password',
  'unknownKey',
  'nested',
  'replaced',
  'rejected',
  'checked',
  'viaLink',
  'invalid',
  'crashed',
  'signature',
  'userinfo',
  'garbageToken',
]

describe('Secrets', () => {
  let t: TestContext
  const canaries = new Map(NAMES.map((name) => [name, `canary-${name}-${crypto.randomUUID()}`]))
  const getSecret = (name: string) => canaries.get(name) ?? assert.fail(name)
  const responses: TestResponse[] = []
  const tokens: string[] = []
  before(async () => {
    t = await testContext()
    await runAllOperations()
  })
  after(() => t.close())

  /** Canaries and tokens, plain and encoded. */
  const encodedSecrets = () =>
    [...canaries, ...tokens.map((token, index) => [`token ${index}`, token] as const)].flatMap(
      ([name, value]) =>
        [
          value,
          Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1),
          Buffer.from(value).toString('hex'),
        ].map((needle) => [name, needle] as const),
    )
  const findCanaries = (bytes: string | Buffer) =>
    encodedSecrets().flatMap(([name, needle]) => (bytes.includes(needle) ? [name] : []))

  it('are in no response except those of credentials and of the new token', () => {
    assert.ok(responses.length >= 30)
    for (const response of responses) {
      const text = response.text + JSON.stringify(response.headers)
      // Owners can read the sourceUrl of their own definitions.
      const found = findCanaries(text).filter((name) => name !== 'signature')
      assert.deepEqual(found, [], response.text)
    }
  })

  it('are in no log line, although every request is logged', () => {
    assert.ok(t.logs.length >= responses.length)
    assert.deepEqual(findCanaries(t.logs.join('\n')), [])
  })

  it('are not in the database, its log or any file next to it', async () => {
    const databaseContents = await databaseBytes(t)
    assert.ok(
      databaseContents.includes('The account of the canaries'),
      'the canary is in these bytes',
    )
    assert.deepEqual(
      findCanaries(databaseContents).filter((name) => name !== 'signature'),
      [],
    )
    const folder = dirname(await databaseFile(t))
    for (const file of readdirSync(folder)) {
      const found = findCanaries(readFileSync(join(folder, file)))
      assert.deepEqual(
        found.filter((name) => name !== 'signature'),
        [],
        file,
      )
    }
  })

  it('are found by this search in the responses that must contain them', async () => {
    assert.equal(tokens.length, 3)
    const [createAccountBody] = expectOk(await t.call('GET', '/v1/integration_account'))
    const path = `/v1/integration_account/${createAccountBody.integrationAccountId}/credentials`
    assert.ok(findCanaries((await t.call('GET', path)).text).includes('replaced'))
  })

  async function sendAndRecord(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<TestResponse> {
    const response = await t.call(method, path, options)
    responses.push(response)
    return response
  }

  /** Calls every operation, with a secret wherever it accepts one. */
  async function runAllOperations(): Promise<void> {
    const post = (path: string, body: unknown) => sendAndRecord('POST', path, { body })
    const tokenResponse = await t.call('POST', '/v1/user/token', { body: { name: 'a' } })
    const userResponse = await t.call('POST', '/v1/user', { body: { email: 'a@example.com' } })
    tokens.push(t.token, expectCreated(tokenResponse).token, expectCreated(userResponse).token)
    await sendAndRecord('GET', '/v1/user/token')
    await sendAndRecord('GET', '/v1/user')
    await post('/v1/workspace', {})
    await sendAndRecord('GET', '/v1/workspace')
    await sendAndRecord('GET', '/v1/user', { token: getSecret('garbageToken') })
    const password = { type: 'string', format: 'password' }
    const key = MINI_SPEC.auth_specification['Api Key'].input_specification
    const properties = { ...key.properties, password, code: { type: 'string', pattern: '^x$' } }
    const inputs = { ...key, properties }
    const spec = { auth_specification: { 'Api Key': { input_specification: inputs } } }
    const sourceUrl = `${t.stubServer.bundle(createMiniBundle(spec))}?signature=${getSecret('signature')}`
    const definitionBody = { name: 'Canary', sourceUrl, integrationType: 'CRM' }
    const { integrationDefinitionId } = expectCreated(
      await post('/v1/integration_definition', definitionBody),
    )
    const userinfo = `https://user:${getSecret('userinfo')}@cdn.example.com/a.js`
    await post('/v1/integration_definition', { ...definitionBody, name: 'b', sourceUrl: userinfo })
    const definition = `/v1/integration_definition/${integrationDefinitionId}`
    for (const path of ['/v1/integration_definition', definition, `${definition}/spec`])
      await sendAndRecord('GET', path)
    const check = (config: object) => ({ integrationDefinitionId, authType: 'Api Key', config })
    const createAccountBody = (config: object) => ({
      ...check(config),
      integrationAccountName: 'The account of the canaries',
    })
    /** A provider that echoes requests, as some do. */
    const createEchoedConfig = (name: string) => {
      const secretValue = getSecret(name)
      const checkResult = {
        status: false,
        error: `no: ${secretValue}`,
        hint: secretValue,
        code: secretValue,
      }
      t.stubServer.serve(`/${name}/told`, (_request, response) =>
        response.end(JSON.stringify(checkResult)),
      )
      return { api_key: secretValue, mode: 'told', base_url: `${t.stubServer.url}/${name}` }
    }
    const create = '/v1/integration_account'
    const { integrationAccountId } = expectCreated(
      await post(
        create,
        createAccountBody({
          api_key: getSecret('apiKey'),
          password: getSecret('password'),
          own: getSecret('unknownKey'),
          deep: { list: [getSecret('nested')] },
        }),
      ),
    )
    const one = `${create}/${integrationAccountId}`
    const link = expectCreated(await post('/v1/link', { linkName: 'a' })).linkId
    for (const [path, body] of [
      [create, createAccountBody(createEchoedConfig('rejected'))],
      [create, createAccountBody({ api_key: getSecret('crashed'), mode: 'throw' })],
      [create, createAccountBody({ api_key: 'a', code: getSecret('invalid') })],
      [`${create}/check`, check(createEchoedConfig('checked'))],
      [`${create}/check`, check({ api_key: getSecret('crashed'), mode: 'throw' })],
      [`${create}/link/${link}`, createAccountBody({ api_key: getSecret('viaLink') })],
      [one, { config: { api_key: getSecret('replaced') } }],
      [one, { config: createEchoedConfig('rejected') }],
    ] as const)
      await post(path, body)
    for (const path of [one, create, `${create}?limit=1`, '/v1/link', `/v1/link/${link}`])
      await sendAndRecord('GET', path)
    assert.ok((await t.call('GET', `${one}/credentials`)).text.includes(getSecret('replaced')))
    const second = expectCreated(
      await post(create, createAccountBody({ api_key: getSecret('apiKey') })),
    )
    await sendAndRecord('DELETE', `${create}/${second.integrationAccountId}`)
    await sendAndRecord('DELETE', `/v1/link/${link}`)
    await sendAndRecord('DELETE', definition)
    await sendAndRecord('GET', '!/metrics')
    await sendAndRecord('GET', '!/health/ready', { token: null })
  }
})
