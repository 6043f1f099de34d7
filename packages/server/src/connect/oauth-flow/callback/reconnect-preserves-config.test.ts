import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'

const text = { type: 'string' }

describe('an OAuth reconnect', () => {
  let t: StubProviderContext
  before(async () => {
    t = await testContext({
      provider: {
        auth: {
          input_specification: {
            type: 'object',
            required: ['region'],
            properties: {
              region: text,
              plan: text,
              instance_url: { type: 'string', format: 'uri' },
            },
          },
        },
      },
    })
  })
  after(() => t.close())

  /** Sets additional parameters of the token response. */
  const setTokenFields = (tokenFields: object) => {
    t.respondToToken = respondWithJson(200, {
      access_token: 'at',
      refresh_token: 'rt',
      ...tokenFields,
    })
  }
  const connectAccount = async (body = {}) =>
    String(
      getReturnParams(await t.completeFlow({ config: { region: 'eu' }, ...body }))
        .integrationAccountId,
    )
  const reconnect = async (id: string, body = {}) =>
    getReturnParams(
      await t.completeFlow({ integrationAccountId: id, integrationAccountName: null, ...body }),
    )
  const getAccount = async (id: string) =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}`))
  const getConfig = async (id: string) => {
    const token = await t.createToken({ scopes: ['credentials:read'] })
    const path = `/v1/integration_account/${id}/credentials`
    return expectOk(await t.call('GET', path, { token })).config
  }

  it('keeps a name that was changed since the start', async () => {
    for (const confirm of [false, true]) {
      const id = await connectAccount()
      const state = await t.begin(
        await t.start({ integrationAccountId: id, integrationAccountName: null, confirm }),
      )
      const renamed = { integrationAccountName: `Renamed ${confirm}` }
      expectOk(await t.call('POST', `/v1/integration_account/${id}`, { body: renamed }))
      const { confirmToken } = getReturnParams(await t.callback({ state, code: 'c', iss: ISSUER }))
      if (confirm) expectOk(await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } }))
      assert.equal((await getAccount(id)).integrationAccountName, `Renamed ${confirm}`)
    }
  })

  it('keeps a name and identifier that it does not set, reports the identifier, and stores those that it sets', async () => {
    const id = await connectAccount({ accountIdentifier: 'customer-1' })
    assert.equal((await reconnect(id)).accountIdentifier, 'customer-1')
    const unchanged = await getAccount(id)
    assert.deepEqual(
      [unchanged.integrationAccountName, unchanged.accountIdentifier],
      ['An account', 'customer-1'],
    )
    const changes = { integrationAccountName: 'Another', accountIdentifier: 'customer-2' }
    assert.equal((await reconnect(id, changes)).accountIdentifier, 'customer-2')
    const changed = await getAccount(id)
    assert.deepEqual(
      [changed.integrationAccountName, changed.accountIdentifier],
      ['Another', 'customer-2'],
    )
  })

  it('overwrites values of earlier token responses, whether or not the spec declares them', async () => {
    setTokenFields({ instance_url: 'https://na1.example', team: { id: 'T1' }, seat: 7 })
    const id = await connectAccount()
    setTokenFields({ instance_url: 'https://eu7.example', team: { id: 'T2' } })
    await reconnect(id)
    const config = await getConfig(id)
    assert.deepEqual(
      [config.instance_url, config['team.id'], config.seat, config.region],
      ['https://eu7.example', 'T2', 7, 'eu'],
    )
  })

  it('keeps user input in required fields and in fields of this start', async () => {
    setTokenFields({ region: 'us', plan: 'free' })
    const id = await connectAccount({ config: { region: 'eu', plan: 'gold' } })
    assert.deepEqual(await getRegionAndPlan(id), ['eu', 'gold'])
    await reconnect(id, { config: { plan: 'silver' } })
    assert.deepEqual(await getRegionAndPlan(id), ['eu', 'silver'])
    await reconnect(id)
    assert.deepEqual(await getRegionAndPlan(id), ['eu', 'free'])
  })

  const getRegionAndPlan = async (id: string) => {
    const { region, plan } = await getConfig(id)
    return [region, plan]
  }
})
