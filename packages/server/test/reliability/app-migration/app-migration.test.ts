import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createVisitor, extractForm } from '../../../src/connect/connect-page/test/test-visitor.ts'
import { createOidcBundle } from '../../../src/connect/oauth-flow/test/oauth-test-context.ts'
import type { AnyBody } from '../../any-body.ts'
import { startStubServer } from '../../stub-server.ts'
import { createServiceSetup, type ServiceProcess, startService } from '../service-process.ts'
import { serveTwoClientProvider } from './two-client-provider.ts'

/** The proof `app-migration` moves 1,000 accounts among 10 kills. */
const accountCount = Number(process.env.MIGRATED_ACCOUNTS ?? '12')
const kills = Number(process.env.MIGRATION_KILLS ?? '1')
const MOVERS = 6
/** Tokens expire all the time, so that every use refreshes them. */
const EXPIRES_IN_SECONDS = 2

it(`${accountCount} accounts move from one OAuth app to its successor among refreshes and ${kills} kills: none is lost, and no client receives a token of another`, async (t) => {
  const stubServer = await startStubServer()
  t.after(() => stubServer.close())
  const provider = serveTwoClientProvider(stubServer, EXPIRES_IN_SECONDS)
  const first = await createServiceSetup()
  t.after(() => first.remove())
  const url = `http://127.0.0.1:${first.port}`
  const setup = { ...first, settings: { LINCHPIN_PUBLIC_URL: url } }
  let service: ServiceProcess = await startService(setup)
  t.after(() => service.kill())
  const call = async (method: string, path: string, body?: unknown): Promise<AnyBody> => {
    const response = await service.call(method, path, body)
    assert.ok(response.status < 300, `${method} ${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
  const auth = {
    authorization_url: `${stubServer.url}/authorize`,
    token_url: `${stubServer.url}/token`,
    revocation_url: `${stubServer.url}/revoke`,
  }
  const { integrationDefinitionId } = await call('POST', '/v1/integration_definition', {
    name: 'Books',
    sourceUrl: stubServer.bundle(createOidcBundle(stubServer.url, auth)),
    integrationType: 'TICKETING',
  })
  const createApp = async (clientId: string, isDefault: boolean): Promise<string> => {
    const body = {
      integrationDefinitionId,
      clientId,
      clientSecret: `${clientId}-secret`,
      isDefault,
    }
    return (await call('POST', '/v1/integration_oauth', body)).integrationOAuthAppId
  }
  const [a, b] = [await createApp('a', true), await createApp('b', false)]
  const readApp = (id: string) => call('GET', `/v1/integration_oauth/${id}`)

  const users = Array.from({ length: accountCount }, (_, index) => `user-${index}`)
  const accounts = new Map<string, string>()
  await inParallel(users, MOVERS, async (user) => {
    const expiresAt = new Date().toISOString()
    const tokens = { ...provider.issue('a', user), expiresAt }
    const { integrationAccountId } = await call('POST', '/v1/integration_account/import', {
      externalId: user,
      integrationDefinitionId,
      integrationAccountName: user,
      authType: 'OAuth2',
      tokens,
      check: true,
    })
    accounts.set(user, integrationAccountId)
  })
  await call('POST', `/v1/integration_oauth/${a}`, { successorId: b })

  const read = async (user: string): Promise<AnyBody> =>
    call('GET', `/v1/integration_account/${accounts.get(user)}/credentials`)
  /** A sign-in of the same user, which a kill may end at any point: then it is started again. */
  const reconnect = async (user: string): Promise<boolean> => {
    const visitor = createVisitor(url, url)
    const body = { integrationAccountId: accounts.get(user), confirm: false }
    const { redirectURL } = await call('POST', '/v1/oauth', body)
    const { fields } = extractForm(await visitor.get(redirectURL))
    const sent = await visitor.post(redirectURL, fields)
    const state = new URL(sent.location ?? '').searchParams.get('state') ?? ''
    const query = new URLSearchParams({ state, code: user })
    await visitor.get(`${url}/api/v1/oauth/callback?${query}`)
    const { config } = await read(user)
    return provider.findClient(config.access_token) === 'b'
  }

  let isMoving = true
  let killed = 0
  const restarting = (async () => {
    while (killed < kills && isMoving) {
      await sleep(400 + Math.random() * 1_200)
      await service.kill()
      killed += 1
      service = await startService(setup)
    }
  })()
  const refreshing = [1, 2].map(async () => {
    while (isMoving) {
      await read(users[Math.floor(Math.random() * users.length)] ?? '').catch(() => undefined)
      await sleep(10)
    }
  })
  await inParallel(users, MOVERS, async (user) => {
    while (!(await reconnect(user).catch(() => false))) await sleep(50)
  })
  // The rest of the kills, while all are refreshed.
  if (killed < kills) await inParallel(users, MOVERS, (user) => read(user).catch(() => undefined))
  isMoving = false
  await Promise.all([restarting, ...refreshing])

  await sleep(EXPIRES_IN_SECONDS * 1_000)
  const lost: string[] = []
  await inParallel(users, MOVERS, async (user) => {
    const found = await read(user).catch((error: Error) => ({ config: {}, error: error.message }))
    if (provider.findClient(found.config.access_token) !== 'b')
      lost.push(`${user}: ${JSON.stringify(found)}`)
  })
  assert.deepEqual(lost, [])
  assert.deepEqual(provider.crossings, [])
  const [before, after] = [await readApp(a), await readApp(b)]
  assert.deepEqual([before.accounts, after.accounts], [0, Math.min(accountCount, 1_000)])
  assert.ok(provider.refreshes() > accountCount)
  // A kill between the new tokens and the revocation leaves a grant of the old client, which no account uses.
  const left = provider.countLive('a')
  assert.ok(left <= killed * MOVERS, `${left} grants of the old client`)
  await call('DELETE', `/v1/integration_oauth/${a}`)
  assert.equal((await readApp(b)).isDefault, true)
  t.diagnostic(
    `${accountCount} accounts, ${killed} kills, ${provider.refreshes()} refreshes: 0 lost, 0 crossings, ${left} old grants left`,
  )

  // The control: accounts whose tokens are refreshed with the successor instead of being reconnected.
  const [control = ''] = users
  const [c, d] = [await createApp('c', false), await createApp('d', false)]
  await call('POST', `/v1/integration_account/import`, {
    externalId: 'control',
    integrationDefinitionId,
    integrationAccountName: 'control',
    authType: 'OAuth2',
    tokens: { ...provider.issue('c', control), expiresAt: new Date().toISOString() },
    integrationOAuthAppId: c,
  }).then(({ integrationAccountId }) => accounts.set('control', integrationAccountId))
  await service.kill()
  const database = new DatabaseSync(join(setup.dataDir, 'linchpin.db'))
  database.prepare('update accounts set oauth_app_id = ? where oauth_app_id = ?').run(d, c)
  database.close()
  service = await startService(setup)
  await read('control').catch(() => undefined)
  t.diagnostic(`control: ${provider.crossings.join('; ')}`)
  assert.ok(provider.crossings.length > 0, 'the control must fail')
})

/** Runs the work for each item, so many at a time. */
async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}
