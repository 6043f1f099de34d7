import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { databaseBytes, fine } from '../../test/fixtures.ts'
import { newBrowser, type Visit } from './test/browser.ts'
import { CLIENT } from './test/oauth-world.ts'
import { ISSUER, json, returned, type StubWorld, startStubWorld } from './test/stub-world.ts'

describe('secrets of a connection by sign-in', () => {
  let t: StubWorld
  const shown: string[] = []
  const secrets = new Map<string, string>()
  const CODE = 'canary-code-0123456789abcdef'

  before(async () => {
    t = await startStubWorld()
    await succeed()
    await failEverywhere()
  })
  after(() => t.close())

  const keep = (visit: Visit) => {
    shown.push(
      visit.text,
      JSON.stringify([...visit.headers]).replaceAll(secrets.get('cookie') ?? '\0', ''),
    )
    return visit
  }

  async function succeed(): Promise<void> {
    t.answer = json(200, {
      access_token: 'canary-access-0123456789abcdef',
      refresh_token: 'canary-refresh-0123456789abcdef',
      id_token: 'canary-id-token-0123456789abcdef',
    })
    const page = await t.start({
      confirm: true,
      config: { webhook_secret: 'canary-config-0123456789abcdef' },
    })
    const state = await t.begin(page)
    const visit = await t.back({ state, code: CODE, iss: ISSUER })
    const { confirmToken = '', integrationAccountId } = returned(visit)
    secrets.set('client secret', CLIENT.clientSecret)
    secrets.set('code', CODE)
    secrets.set('page token', page.split('/').at(-1) ?? '')
    secrets.set('state', state)
    secrets.set('cookie', t.browser.jar.get('localhost:3000')?.get('linchpin-oauth') ?? '')
    secrets.set('code verifier', t.tokenRequests[0]?.get('code_verifier') ?? '')
    secrets.set('access token', 'canary-access-0123456789abcdef')
    secrets.set('refresh token', 'canary-refresh-0123456789abcdef')
    secrets.set('id token', 'canary-id-token-0123456789abcdef')
    secrets.set('config', 'canary-config-0123456789abcdef')
    secrets.set('confirm token', confirmToken)
    shown.push((visit.location ?? '').replace(confirmToken, ''))
    const confirmed = await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
    shown.push(confirmed.text)
    for (const path of [
      `/v1/integration_account/${integrationAccountId}`,
      '/v1/integration_account',
    ])
      shown.push((await t.call('GET', path)).text)
    fine(confirmed)
  }

  /** Failures like to repeat what they failed on. */
  async function failEverywhere(): Promise<void> {
    const echo = [...secrets.values()].join(' ')
    const answers = [
      json(400, { error: 'invalid_grant', error_description: echo }),
      json(400, { error: CODE, error_description: echo }),
      json(200, { access_token: { nested: echo } }),
      json(500, { echo }),
      json(200, { access_token: 'refused', refresh_token: 'canary-refresh-0123456789abcdef' }),
    ]
    for (const answer of answers) {
      t.answer = answer
      const state = await t.begin(await t.start())
      const visit = keep(await t.back({ state, code: CODE, iss: ISSUER }))
      shown.push(visit.location ?? '')
    }
    const state = await t.begin(await t.start(), newBrowser(t.app))
    keep(await t.back({ state, code: CODE, iss: ISSUER }))
    keep(await t.back({ state, code: CODE, iss: ISSUER, error: CODE, error_description: echo }))
    keep(await t.browser.get(`http://localhost:3000/oauth/connect/${secrets.get('page token')}`))
    const body = { confirmToken: secrets.get('confirm token') }
    shown.push((await t.call('POST', '/v1/oauth/confirm', { body })).text)
  }

  it('are all there to be looked for', () => {
    assert.equal(secrets.size, 11)
    for (const [name, secret] of secrets) assert.ok(secret.length >= 24, name)
    assert.ok(shown.length > 10 && t.logs.length > 20)
  })

  it('stand in no answer, page or URL of ours', () => {
    for (const [name, secret] of secrets)
      assert.ok(!shown.some((text) => text.includes(secret)), name)
  })

  it('stand in no line of the log', () => {
    for (const [name, secret] of secrets)
      assert.ok(!t.logs.some((line) => line.includes(secret)), name)
  })

  it('do not stand in the database in clear', async () => {
    const bytes = await databaseBytes(t)
    assert.ok(bytes.includes('canary') === false && bytes.length > 1_000)
    for (const [name, secret] of secrets) assert.ok(!bytes.includes(secret), name)
  })
})
