import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import { testContext } from '../../../../test/test-context.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import { getVisibleText } from '../test/test-visitor.ts'

const { OAuth2 } = MINI_SPEC.auth_specification
const KEY = { input_specification: { properties: { api_key: { type: 'string' } } } }

describe('The auth methods of an integration', () => {
  let t: PageTestContext
  before(async () => {
    t = await testContext({ pages: true })
  })
  after(() => t.close())

  it('methods with the same display name get a label without technical terms', async () => {
    const auth_specification = {
      OAuth2,
      'OAuth2 (Sandbox)': OAuth2,
      'Api Key': KEY,
      api_key: KEY,
    }
    const created = await t.createDefinition({
      name: 'Twins',
      code: createMiniBundle({ auth_specification }),
    })
    const { integrationDefinitionId } = created
    await registerOAuthApp(t, { integrationDefinitionId: String(integrationDefinitionId) })
    const page = await t.visitor().get(await t.link({ integrationDefinitionId }))
    assert.equal(page.state, 'chooseAuth')
    const names = [...page.plain.matchAll(/<span class="row-name">(.*?)<\/span><span/g)]
    const texts = names.map(([, name = '']) => name.replace(/<[^>]*>/g, ''))
    assert.deepEqual(texts, [
      'Sign in to Twins Recommended',
      'Sign in to Twins Sandbox',
      'Use an API key Api Key',
      'Use an API key api_key',
    ])
    assert.doesNotMatch(getVisibleText(page), /OAuth/)
  })

  it('have a sentence each: what the person does, or needs', async () => {
    const fields = (...names: string[]) => ({
      input_specification: {
        required: names,
        properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      },
    })
    const auth_specification = {
      'Client Credentials': fields('client_id', 'client_secret'),
      'Api Key': fields('email', 'api_token'),
      Token: fields('token'),
      Basic: fields('user', 'password'),
    }
    const { integrationDefinitionId } = await t.createDefinition({
      name: 'Zen',
      code: createMiniBundle({ auth_specification }),
    })
    const page = await t.visitor().get(await t.link({ integrationDefinitionId }))
    const lines = [...page.plain.matchAll(/<span class="row-line">(.*?)<\/span>/g)]
    const texts = lines.map(([, line = '']) => line.replace(/<[^>]*>/g, ''))
    assert.deepEqual(texts, [
      'You need: Client ID, Client secret.',
      'Copy a key from your settings in Zen.',
      'Copy a token from your settings in Zen.',
      'We store your password encrypted.',
    ])
    assert.doesNotMatch(getVisibleText(page), /credential/i)
  })

  it('1,900 of them take less than 1 s of CPU', async () => {
    const types = Array.from({ length: 1_900 }, (_, at) => [`way ${at}`, {}])
    const code = createMiniBundle({ auth_specification: Object.fromEntries(types) })
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Many', code })
    const path = await t.link({ integrationDefinitionId })
    const fastest = { cpuMs: Number.POSITIVE_INFINITY }
    for (let round = 0; round < 3; round++) {
      const before = process.cpuUsage()
      assert.equal((await t.visitor().get(path)).state, 'chooseAuth')
      const { user, system } = process.cpuUsage(before)
      fastest.cpuMs = Math.min(fastest.cpuMs, (user + system) / 1_000)
    }
    assert.ok(fastest.cpuMs < 1_000, `${fastest.cpuMs} ms`)
  })
})
