import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type RenewalWorld, startRenewalWorld } from '../test/renewal-world.ts'
import { accountHeaders } from './account-headers.ts'

describe('accountHeaders: a bundle whose HEADERS refreshes for some configurations only', () => {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld()
  })
  after(() => world.close())
  beforeEach(() => {
    world.provider.calls.length = 0
  })

  /** HEADERS refreshes where the configuration says `isOld`. */
  const code = (refresh: string, access: string) => `
    const spec = { auth_specification: { OAuth2: { input_specification: { type: 'object', properties: {} } } } }
    exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return spec
      if (command === 'CHECK') return { status: true, error: '' }
      if (!config.isOld) return { Authorization: 'Bearer ' + config.${access} }
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: config.${refresh} })
      const response = await fetch('${world.provider.url}/token', { method: 'POST', body })
      if (!response.ok) throw new Error('refused')
      return { Authorization: 'Bearer ' + (await response.json()).access_token }
    }`
  const connect = async (definition: unknown, refresh: string, access: string, isOld: boolean) => {
    const family = world.provider.newFamily()
    const tokens = { [refresh]: family.refreshToken, [access]: family.accessToken }
    const more = { authType: 'OAuth2', config: { ...tokens, isOld } }
    const made = await world.t.connect(String(definition), more)
    return { id: String(made.integrationAccountId), family }
  }

  for (const [refresh, access] of [
    ['refresh_token', 'access_token'],
    ['refreshToken', 'accessToken'],
    ['offline', 'access_token'],
  ] as const)
    it(`sends one token request for 10 callers, after calls that sent none: ${refresh}, ${access}`, async () => {
      const { integrationDefinitionId } = await world.t.define({ code: code(refresh, access) })
      const node = world.node()
      const quiet = await connect(integrationDefinitionId, refresh, access, false)
      for (let times = 0; times < 2; times += 1) await accountHeaders(node, quiet.id)
      assert.deepEqual(world.provider.calls, [])
      const { id, family } = await connect(integrationDefinitionId, refresh, access, true)
      const given = family.refreshToken
      await Promise.all(Array.from({ length: 10 }, () => accountHeaders(node, id)))
      const { headers } = await accountHeaders(node, id)
      assert.deepEqual(headers, { Authorization: `Bearer ${family.accessToken}` })
      assert.deepEqual(world.provider.calls, [given])
      assert.equal(world.provider.kills(), 0)
    })
})
