import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MINI_SPEC, miniBundle } from '../../../test/mini-bundle.ts'
import { registerApp } from '../../../test/oauth-app-fixtures.ts'
import { type PageWorld, startPageWorld } from '../test/page-world.ts'
import { wordsOf } from '../test/person.ts'

const { OAuth2 } = MINI_SPEC.auth_specification
const KEY = { input_specification: { properties: { api_key: { type: 'string' } } } }

describe('the ways to one tool', () => {
  let t: PageWorld
  before(async () => {
    t = await startPageWorld()
  })
  after(() => t.close())

  it('are told apart where two would have the same name, without a word of the trade', async () => {
    const auth_specification = {
      OAuth2,
      'OAuth2 (Sandbox)': OAuth2,
      'Api Key': KEY,
      api_key: KEY,
      Token: KEY,
    }
    const made = await t.define({ name: 'Twins', code: miniBundle({ auth_specification }) })
    const { integrationDefinitionId } = made
    await registerApp(t, { integrationDefinitionId: String(integrationDefinitionId) })
    const page = await t.person().get(await t.link({ integrationDefinitionId }))
    assert.equal(page.state, 'chooseAuth')
    const names = [...page.plain.matchAll(/<span class="row-name">(.*?)<\/span><span/g)]
    const words = names.map(([, name = '']) => name.replace(/<[^>]*>/g, ''))
    assert.deepEqual(words, [
      'Sign in to Twins Recommended',
      'Sign in to Twins Sandbox',
      'Use an API key Api Key',
      'Use an API key api_key',
      'Use an access token',
    ])
    assert.doesNotMatch(wordsOf(page), /OAuth/)
  })

  it('cost the service less than 1 s of CPU when a spec has 1,900 of them', async () => {
    const types = Array.from({ length: 1_900 }, (_, at) => [`way ${at}`, {}])
    const code = miniBundle({ auth_specification: Object.fromEntries(types) })
    const { integrationDefinitionId } = await t.define({ name: 'Many', code })
    const path = await t.link({ integrationDefinitionId })
    const least = { cpuMs: Number.POSITIVE_INFINITY }
    for (let round = 0; round < 3; round++) {
      const before = process.cpuUsage()
      assert.equal((await t.person().get(path)).state, 'chooseAuth')
      const { user, system } = process.cpuUsage(before)
      least.cpuMs = Math.min(least.cpuMs, (user + system) / 1_000)
    }
    assert.ok(least.cpuMs < 1_000, `${least.cpuMs} ms`)
  })
})
