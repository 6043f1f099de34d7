import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fine } from '../../../test/fixtures.ts'
import { ISSUER, json, returned, type StubWorld, startStubWorld } from '../test/stub-world.ts'

const text = { type: 'string' }

describe('what a reconnect keeps, and what it takes anew', () => {
  let t: StubWorld
  before(async () => {
    t = await startStubWorld({
      auth: {
        input_specification: {
          type: 'object',
          required: ['region'],
          properties: { region: text, plan: text, instance_url: { type: 'string', format: 'uri' } },
        },
      },
    })
  })
  after(() => t.close())

  /** The token endpoint says these facts beside the tokens from now on. */
  const facts = (more: object) => {
    t.answer = json(200, { access_token: 'at', refresh_token: 'rt', ...more })
  }
  const connected = async (body = {}) =>
    String(returned(await t.through({ config: { region: 'eu' }, ...body })).integrationAccountId)
  const again = async (id: string, body = {}) =>
    returned(await t.through({ integrationAccountId: id, integrationAccountName: null, ...body }))
  const account = async (id: string) => fine(await t.call('GET', `/v1/integration_account/${id}`))
  const configOf = async (id: string) => {
    const token = await t.mint({ scopes: ['credentials:read'] })
    const path = `/v1/integration_account/${id}/credentials`
    return fine(await t.call('GET', path, { token })).config
  }

  it('keeps a name that was given while the person was away', async () => {
    for (const confirm of [false, true]) {
      const id = await connected()
      const state = await t.begin(
        await t.start({ integrationAccountId: id, integrationAccountName: null, confirm }),
      )
      const renamed = { integrationAccountName: `Renamed ${confirm}` }
      fine(await t.call('POST', `/v1/integration_account/${id}`, { body: renamed }))
      const { confirmToken } = returned(await t.back({ state, code: 'c', iss: ISSUER }))
      if (confirm) fine(await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } }))
      assert.equal((await account(id)).integrationAccountName, `Renamed ${confirm}`)
    }
  })

  it('keeps name and identifier that it does not give, tells the host of the identifier, and takes those that it gives', async () => {
    const id = await connected({ accountIdentifier: 'customer-1' })
    assert.equal((await again(id)).accountIdentifier, 'customer-1')
    const kept = await account(id)
    assert.deepEqual(
      [kept.integrationAccountName, kept.accountIdentifier],
      ['An account', 'customer-1'],
    )
    const given = { integrationAccountName: 'Another', accountIdentifier: 'customer-2' }
    assert.equal((await again(id, given)).accountIdentifier, 'customer-2')
    const moved = await account(id)
    assert.deepEqual(
      [moved.integrationAccountName, moved.accountIdentifier],
      ['Another', 'customer-2'],
    )
  })

  it('takes what the provider says now in the place of what it said before, declared by the spec or not', async () => {
    facts({ instance_url: 'https://na1.example', team: { id: 'T1' }, seat: 7 })
    const id = await connected()
    facts({ instance_url: 'https://eu7.example', team: { id: 'T2' } })
    await again(id)
    const config = await configOf(id)
    assert.deepEqual(
      [config.instance_url, config['team.id'], config.seat, config.region],
      ['https://eu7.example', 'T2', 7, 'eu'],
    )
  })

  it('believes the person in what had to be given, and in what is given this time', async () => {
    facts({ region: 'us', plan: 'free' })
    const id = await connected({ config: { region: 'eu', plan: 'gold' } })
    assert.deepEqual(await pick(id), ['eu', 'gold'])
    await again(id, { config: { plan: 'silver' } })
    assert.deepEqual(await pick(id), ['eu', 'silver'])
    await again(id)
    assert.deepEqual(await pick(id), ['eu', 'free'])
  })

  const pick = async (id: string) => {
    const { region, plan } = await configOf(id)
    return [region, plan]
  }
})
