import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { exampleBundles } from '../../../../examples/build.ts'
import { BOOKS_CLIENT } from '../../../../examples/provider/books.ts'
import { createProvider } from '../../../../examples/provider/provider.ts'
import { auditOf, countRows, created, fine, refused } from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'
import { type RenewalWorld, startRenewalWorld } from './renewal/test/renewal-world.ts'

describe('an account whose bundle, made with the older kit, renews its tokens itself', () => {
  promises(async () => undefined)
})

describePostgres('an account whose bundle renews its tokens itself, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('own_tokens'))
})

function promises(url: () => Promise<string | undefined>): void {
  /** Refresh tokens of Acme Books work once, whoever uses them. */
  const provider = createProvider()
  let world: RenewalWorld
  let integrationDefinitionId: string
  let count = 0

  before(async () => {
    await provider.listen()
    world = await startRenewalWorld({ url: await url() })
    const { books } = await exampleBundles()
    integrationDefinitionId = String(
      (await world.t.define({ code: books.code })).integrationDefinitionId,
    )
  })
  after(() => Promise.all([world.close(), provider.close()]))
  beforeEach(() => {
    provider.requests.length = 0
  })

  const newToken = () => `refresh_once_mine_${++count}`
  const config = (refresh_token: string, more = {}) => ({
    ...{ base_url: provider.url, subdomain: 'north', region: 'eu', refresh_token },
    ...BOOKS_CLIENT,
    ...more,
  })
  const create = (given: object) =>
    world.t.call('POST', '/v1/integration_account', {
      body: {
        ...{ integrationDefinitionId, integrationAccountName: 'Books' },
        ...{ authType: 'OAuth2', config: given },
      },
    })
  const connect = async (refreshToken = newToken()) =>
    String(created(await create(config(refreshToken))).integrationAccountId)
  const path = (id: string) => `/v1/integration_account/${id}`
  const update = (id: string, given: object) =>
    world.t.call('POST', path(id), { body: { config: given } })
  const credentials = (id: string) => world.t.call('GET', `${path(id)}/credentials`)
  const asked = () => provider.requests.map(({ path }) => path.replace('/north', ''))
  /** Whether Acme Books lets these headers in. */
  const works = async (id: string) => {
    const { headers } = fine(await credentials(id))
    return (await fetch(`${provider.url}/north/api/account`, { headers })).status
  }
  /** As when the person withdraws it: the newest refresh token never works again. */
  const withdraw = async (id: string) => {
    const token = String((await world.config(id)).refresh_token)
    const body = new URLSearchParams({ token, ...BOOKS_CLIENT })
    assert.equal(
      (await fetch(`${provider.url}/oauth/revoke`, { method: 'POST', body })).status,
      200,
    )
    // So that nothing from before is used.
    await world.change(id, { token_expires_at: Date.now() - 1 })
    provider.requests.length = 0
  }
  const statusOf = async (id: string) => {
    const { status, statusReason } = fine(await world.t.call('GET', path(id)))
    return [status, statusReason]
  }

  it('is created with the refresh token that CHECK got', async () => {
    const first = newToken()
    const id = await connect(first)
    assert.deepEqual(asked(), ['/oauth/token', '/api/account'])
    const stored = await world.config(id)
    assert.notEqual(stored.refresh_token, first)
    assert.match(String(stored.access_token), /^access_\d+$/)
    assert.equal(stored.client_secret, BOOKS_CLIENT.client_secret)
    const { token_expires_at, renew_at } = await world.row(id)
    assert.ok(Math.abs(Number(token_expires_at) - Date.now() - 3_600_000) < 10_000)
    assert.equal(renew_at, null)
    assert.equal(await works(id), 200)
    assert.equal(await works(id), 200)
  })

  it('is not created with a refresh token that was used before, nor while the provider is away', async () => {
    const before = await countRows(world.t, 'accounts')
    refused(await create(config('stolen')), 'credentials_rejected')
    const away = { base_url: 'http://127.0.0.1:9' }
    refused(await create(config(newToken(), away)), 'provider_error')
    assert.equal(await countRows(world.t, 'accounts'), before)
  })

  it('keeps what HEADERS got when a field beside the tokens is changed', async () => {
    const id = await connect()
    const before = await world.config(id)
    fine(await update(id, { region: 'us' }))
    const stored = await world.config(id)
    assert.equal(stored.region, 'us')
    assert.notEqual(stored.refresh_token, before.refresh_token)
    assert.equal(await works(id), 200)
  })

  it('keeps its old tokens when new ones are refused', async () => {
    const id = await connect()
    const before = await world.config(id)
    refused(await update(id, { refresh_token: 'stolen' }), 'credentials_rejected')
    assert.deepEqual(await world.config(id), before)
    assert.equal((await world.row(id)).lease_owner, null)
    assert.equal(await works(id), 200)
  })

  it('needs the person once the provider refuses its tokens, says why, and asks nobody from then on', async () => {
    const id = await connect()
    await withdraw(id)
    refused(await credentials(id), 'needs_reauth')
    assert.deepEqual(await statusOf(id), ['needs_reauth', 'credentials_rejected'])
    assert.ok((await auditOf(world.t, id)).includes('account.needs_reauth'))
    assert.equal((await world.row(id)).lease_owner, null)
    provider.requests.length = 0
    refused(await credentials(id), 'needs_reauth')
    refused(await world.t.call('GET', `${path(id)}/proxy/account`), 'needs_reauth')
    assert.deepEqual(asked(), [])
  })

  it('works again after an update that only has its credentials checked once more, when they pass', async () => {
    const id = await connect()
    await world.change(id, { status: 'needs_reauth', status_reason: 'credentials_rejected' })
    fine(await update(id, {}))
    assert.deepEqual(await statusOf(id), ['active', null])
    assert.equal(await works(id), 200)
  })

  it('works again after an update with tokens that work', async () => {
    const id = await connect()
    await withdraw(id)
    refused(await credentials(id), 'needs_reauth')
    refused(await update(id, { refresh_token: 'stolen' }), 'credentials_rejected')
    assert.deepEqual(await statusOf(id), ['needs_reauth', 'credentials_rejected'])
    const next = newToken()
    fine(await update(id, { refresh_token: next }))
    assert.deepEqual(await statusOf(id), ['active', null])
    assert.notEqual((await world.config(id)).refresh_token, next)
    assert.equal(await works(id), 200)
  })
}
