import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { created, databaseBytes, databaseFile, fine, startWorld, type World } from './fixtures.ts'
import { MINI_SPEC, miniBundle } from './mini-bundle.ts'
import type { Answer, CallOptions } from './test-app.ts'

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

describe('secrets', () => {
  let t: World
  const canaries = new Map(NAMES.map((name) => [name, `canary-${name}-${crypto.randomUUID()}`]))
  const secret = (name: string) => canaries.get(name) ?? assert.fail(name)
  const answers: Answer[] = []
  const tokens: string[] = []
  before(async () => {
    t = await startWorld()
    await walk()
  })
  after(() => t.close())

  /** Canaries, and tokens, as they are and as they look encoded. */
  const needles = () =>
    [...canaries, ...tokens.map((token, index) => [`token ${index}`, token] as const)].flatMap(
      ([name, value]) =>
        [
          value,
          Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1),
          Buffer.from(value).toString('hex'),
        ].map((needle) => [name, needle] as const),
    )
  const findIn = (bytes: string | Buffer) =>
    needles().flatMap(([name, needle]) => (bytes.includes(needle) ? [name] : []))

  it('stand in no answer but that of credentials and of the minted token', () => {
    assert.ok(answers.length >= 30)
    for (const answer of answers) {
      const text = answer.text + JSON.stringify(answer.headers)
      // The owner of a definition sees its own sourceUrl.
      const found = findIn(text).filter((name) => name !== 'signature')
      assert.deepEqual(found, [], answer.text)
    }
  })

  it('stand in no line of the log, though every request has one', () => {
    assert.ok(t.logs.length >= answers.length)
    assert.deepEqual(findIn(t.logs.join('\n')), [])
  })

  it('stand nowhere in the database, its log or the files beside it', async () => {
    const kept = await databaseBytes(t)
    assert.ok(kept.includes('The account of the canaries'), 'these are the bytes')
    assert.deepEqual(
      findIn(kept).filter((name) => name !== 'signature'),
      [],
    )
    const folder = dirname(await databaseFile(t))
    for (const file of readdirSync(folder)) {
      const found = findIn(readFileSync(join(folder, file)))
      assert.deepEqual(
        found.filter((name) => name !== 'signature'),
        [],
        file,
      )
    }
  })

  it('would have been found: credentials and the minted token are where they belong', async () => {
    assert.equal(tokens.length, 3)
    const [account] = fine(await t.call('GET', '/v1/integration_account'))
    const path = `/v1/integration_account/${account.integrationAccountId}/credentials`
    assert.ok(findIn((await t.call('GET', path)).text).includes('replaced'))
  })

  async function say(method: string, path: string, options?: CallOptions): Promise<Answer> {
    const answer = await t.call(method, path, options)
    answers.push(answer)
    return answer
  }

  /** Every operation, with a secret wherever one fits. */
  async function walk(): Promise<void> {
    const post = (path: string, body: unknown) => say('POST', path, { body })
    const minted = await t.call('POST', '/v1/user/token', { body: { name: 'a' } })
    const invited = await t.call('POST', '/v1/user', { body: { email: 'a@example.com' } })
    tokens.push(t.token, created(minted).token, created(invited).token)
    await say('GET', '/v1/user/token')
    await say('GET', '/v1/user')
    await post('/v1/workspace', {})
    await say('GET', '/v1/workspace')
    await say('GET', '/v1/user', { token: secret('garbageToken') })
    const password = { type: 'string', format: 'password' }
    const key = MINI_SPEC.auth_specification['Api Key'].input_specification
    const properties = { ...key.properties, password, code: { type: 'string', pattern: '^x$' } }
    const inputs = { ...key, properties }
    const spec = { auth_specification: { 'Api Key': { input_specification: inputs } } }
    const sourceUrl = `${t.origin.bundle(miniBundle(spec))}?signature=${secret('signature')}`
    const made = { name: 'Canary', sourceUrl, integrationType: 'CRM' }
    const { integrationDefinitionId } = created(await post('/v1/integration_definition', made))
    const userinfo = `https://user:${secret('userinfo')}@cdn.example.com/a.js`
    await post('/v1/integration_definition', { ...made, name: 'b', sourceUrl: userinfo })
    const definition = `/v1/integration_definition/${integrationDefinitionId}`
    for (const path of ['/v1/integration_definition', definition, `${definition}/spec`])
      await say('GET', path)
    const check = (config: object) => ({ integrationDefinitionId, authType: 'Api Key', config })
    const account = (config: object) => ({
      ...check(config),
      integrationAccountName: 'The account of the canaries',
    })
    /** A provider that repeats what it was sent, as some do. */
    const repeats = (name: string) => {
      const words = secret(name)
      const answer = { status: false, error: `no: ${words}`, hint: words, code: words }
      t.origin.serve(`/${name}/told`, (_request, response) => response.end(JSON.stringify(answer)))
      return { api_key: words, mode: 'told', base_url: `${t.origin.url}/${name}` }
    }
    const create = '/v1/integration_account'
    const { integrationAccountId } = created(
      await post(
        create,
        account({
          api_key: secret('apiKey'),
          password: secret('password'),
          own: secret('unknownKey'),
          deep: { list: [secret('nested')] },
        }),
      ),
    )
    const one = `${create}/${integrationAccountId}`
    const link = created(await post('/v1/link', { linkName: 'a' })).linkId
    for (const [path, body] of [
      [create, account(repeats('rejected'))],
      [create, account({ api_key: secret('crashed'), mode: 'throw' })],
      [create, account({ api_key: 'a', code: secret('invalid') })],
      [`${create}/check`, check(repeats('checked'))],
      [`${create}/check`, check({ api_key: secret('crashed'), mode: 'throw' })],
      [`${create}/link/${link}`, account({ api_key: secret('viaLink') })],
      [one, { config: { api_key: secret('replaced') } }],
      [one, { config: repeats('rejected') }],
    ] as const)
      await post(path, body)
    for (const path of [one, create, `${create}?limit=1`, '/v1/link', `/v1/link/${link}`])
      await say('GET', path)
    assert.ok((await t.call('GET', `${one}/credentials`)).text.includes(secret('replaced')))
    const second = created(await post(create, account({ api_key: secret('apiKey') })))
    await say('DELETE', `${create}/${second.integrationAccountId}`)
    await say('DELETE', `/v1/link/${link}`)
    await say('DELETE', definition)
    await say('GET', '!/metrics')
    await say('GET', '!/health/ready', { token: null })
  }
})
