import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type RefreshTestContext, startRefreshTestContext } from '../test/refresh-test-context.ts'
import { getAuthHeaders } from './get-auth-headers.ts'

describe('getAuthHeaders: a bundle whose HEADERS refreshes only for some configurations', () => {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext()
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.calls.length = 0
  })

  /** HEADERS refreshes if the configuration has `isOld`. */
  const createCode = (refreshField: string, accessField: string) => `
    const spec = { auth_specification: { OAuth2: { input_specification: { type: 'object', properties: {} } } } }
    exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return spec
      if (command === 'CHECK') return { status: true, error: '' }
      if (!config.isOld) return { Authorization: 'Bearer ' + config.${accessField} }
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: config.${refreshField} })
      const response = await fetch('${context.provider.url}/token', { method: 'POST', body })
      if (!response.ok) throw new Error('refused')
      return { Authorization: 'Bearer ' + (await response.json()).access_token }
    }`
  const connect = async (
    definition: unknown,
    refreshField: string,
    accessField: string,
    isOld: boolean,
  ) => {
    const family = context.provider.newFamily()
    const tokens = { [refreshField]: family.refreshToken, [accessField]: family.accessToken }
    const overrides = { authType: 'OAuth2', config: { ...tokens, isOld } }
    const account = await context.t.createAccount(String(definition), overrides)
    return { id: account.integrationAccountId, family }
  }

  for (const [refreshField, accessField] of [
    ['refresh_token', 'access_token'],
    ['refreshToken', 'accessToken'],
    ['offline', 'access_token'],
  ] as const)
    it(`sends one token request for 10 callers, after calls that sent none: ${refreshField}, ${accessField}`, async () => {
      const { integrationDefinitionId } = await context.t.createDefinition({
        code: createCode(refreshField, accessField),
      })
      const node = context.node()
      const offlineAccount = await connect(
        integrationDefinitionId,
        refreshField,
        accessField,
        false,
      )
      for (let times = 0; times < 2; times += 1) await getAuthHeaders(node, offlineAccount.id)
      assert.deepEqual(context.provider.calls, [])
      const { id, family } = await connect(integrationDefinitionId, refreshField, accessField, true)
      const originalRefreshToken = family.refreshToken
      await Promise.all(Array.from({ length: 10 }, () => getAuthHeaders(node, id)))
      const { headers } = await getAuthHeaders(node, id)
      assert.deepEqual(headers, { Authorization: `Bearer ${family.accessToken}` })
      assert.deepEqual(context.provider.calls, [originalRefreshToken])
      assert.equal(context.provider.reuseCount(), 0)
    })
})
