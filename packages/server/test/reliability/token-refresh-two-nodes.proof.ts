import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type StrictProvider,
  startStrictProvider,
} from '../../src/accounts/accounts/token-refresh/test/strict-provider.ts'
import { describePostgres, type PostgresDatabases } from '../postgres.ts'
import { startStubServer } from '../stub-server.ts'
import { connectOAuth } from './oauth-account.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

const ROUNDS = Number(process.env.RENEWAL_ROUNDS ?? 3)
const CONCURRENT_CALLERS = 50

describePostgres(
  'Two nodes with one account at a provider that revokes the token family on reuse',
  (server) => {
    it('send one token request per expiry and return no revoked token', async (t) => {
      const { nodes, account, provider } = await start(t, server(), 'renewal_rounds', 2)
      const path = `/v1/integration_account/${account.id}/credentials`
      for (let round = 0; round < ROUNDS; round += 1) {
        await account.expire()
        provider.calls.length = 0
        const pending = Array.from({ length: CONCURRENT_CALLERS }, () =>
          nodes.map((node) => useCredentials(node, path, provider)),
        )
        assert.deepEqual(
          new Set(await Promise.all(pending.flat())),
          new Set([200]),
          `round ${round}`,
        )
        assert.equal(provider.calls.length, 1, `round ${round}`)
      }
      assert.equal(provider.reuseCount(), 0)
      t.diagnostic(`${ROUNDS} expiries, ${ROUNDS * CONCURRENT_CALLERS * 2} callers`)
    })

    it('lose nothing when the refreshing node is stopped before the provider responds', async (t) => {
      const { workers, account, provider } = await start(t, server(), 'renewal_stop', 1)
      const [first, second] = workers
      const [family] = provider.families
      provider.beforeRotation = async () => {
        provider.beforeRotation = undefined
        first.kill('SIGSTOP')
        // The request never arrives: the provider does not respond on the connection.
        return true
      }
      const delayedToken = requestToken(first, account.id)
      await waitForProviderCall(provider)
      assert.equal(await requestToken(second, account.id), family?.accessToken)
      first.kill('SIGCONT')
      assert.equal(await delayedToken, family?.accessToken)
      assert.equal(provider.calls.length, 2)
      assert.equal(provider.reuseCount(), 0)
    })

    it('agree when the refreshing node is stopped after it received the response', async (t) => {
      const { workers, account, provider } = await start(t, server(), 'renewal_answer', 1)
      const [first, second] = workers
      provider.graceMs = 60_000
      provider.afterRotation = () => {
        provider.afterRotation = undefined
        first.kill('SIGSTOP')
        return false
      }
      const delayedToken = requestToken(first, account.id)
      await waitForProviderCall(provider)
      const token = await requestToken(second, account.id)
      assert.equal(token, provider.families[0]?.accessToken)
      first.kill('SIGCONT')
      assert.equal(await delayedToken, token)
      assert.equal(await getCredentialVersion(account), 2, 'the late write was rejected')
      assert.equal(provider.reuseCount(), 0)
    })

    it('recover from kill -9 between the response of the provider and the commit', async (t) => {
      const { workers, account, provider } = await start(t, server(), 'renewal_kill', 1)
      const [first, second] = workers
      provider.graceMs = 60_000
      provider.afterRotation = () => {
        provider.afterRotation = undefined
        first.kill('SIGKILL')
        return false
      }
      first.send(account.id)
      await once(first, 'exit')
      assert.equal(await requestToken(second, account.id), provider.families[0]?.accessToken)
      assert.equal(provider.calls.length, 2)
      assert.equal(new Set(provider.calls).size, 1, 'the node returns the old token')
      assert.equal(provider.reuseCount(), 0)
    })

    it('report reply_lost after kill -9 without a grace period, and stop requesting', async (t) => {
      const { workers, account, provider } = await start(t, server(), 'renewal_lost', 1)
      const [first, second] = workers
      provider.afterRotation = () => {
        provider.afterRotation = undefined
        first.kill('SIGKILL')
        return false
      }
      first.send(account.id)
      await once(first, 'exit')
      assert.equal(await requestToken(second, account.id), 'needs_reauth')
      assert.equal(await requestToken(second, account.id), 'needs_reauth')
      assert.equal(provider.calls.length, 2)
      const row = await account.database.read
        .selectFrom('accounts')
        .select(['status', 'status_reason'])
        .where('account_id', '=', account.id)
        .executeTakeFirstOrThrow()
      assert.deepEqual(row, { status: 'needs_reauth', status_reason: 'reply_lost' })
    })
  },
)

/** Services, and two additional workers with short leases. */
async function start(t: TestContext, server: PostgresDatabases, name: string, services: number) {
  const databaseUrl = await server.createDatabase(name)
  const setup = await createServiceSetup({ databaseUrl })
  const setups = [setup]
  while (setups.length < services)
    setups.push(await createServiceSetup({ databaseUrl, token: setup.token, keys: setup.keys }))
  const nodes: ServiceProcess[] = []
  for (const each of setups) nodes.push(await startService(each))
  const [stubServer, provider] = await Promise.all([startStubServer(), startStrictProvider()])
  const [node] = nodes
  assert.ok(node)
  const account = await connectOAuth(node, setup, stubServer, provider)
  const workers =
    services === 1
      ? await Promise.all([
          startWorker(t, databaseUrl, setup.keys),
          startWorker(t, databaseUrl, setup.keys),
        ])
      : []
  t.after(async () => {
    await account.database.close()
    await Promise.all(nodes.map((each) => each.kill()))
    await Promise.all([
      stubServer.close(),
      provider.close(),
      ...setups.map((each) => each.remove()),
    ])
  })
  return { nodes, account, provider, workers: workers as [ChildProcess, ChildProcess] }
}

const WORKER = fileURLToPath(new URL('./token-refresh-worker.ts', import.meta.url))

async function startWorker(t: TestContext, url: string, keys: string): Promise<ChildProcess> {
  // Without the flags of the test runner, which would end a process that has no tests.
  const worker = fork(WORKER, [url, keys], { execArgv: [] })
  t.after(() => worker.kill('SIGKILL'))
  await once(worker, 'message')
  return worker
}

async function requestToken(worker: ChildProcess, accountId: string): Promise<unknown> {
  const reply = once(worker, 'message')
  worker.send(accountId)
  const [token] = await reply
  return token
}

/** Resolves when the provider has received the request during which the worker is stopped. */
async function waitForProviderCall({ calls }: StrictProvider): Promise<void> {
  while (calls.length === 0) await sleep(10)
  await sleep(100)
}

async function getCredentialVersion({
  database,
  id,
}: Awaited<ReturnType<typeof connectOAuth>>): Promise<number> {
  const row = await database.read
    .selectFrom('accounts')
    .select('credential_version')
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
  return row.credential_version
}

/** Gets credentials and uses them; returns the status of the provider's API, or of the error. */
async function useCredentials(
  node: ServiceProcess,
  path: string,
  { url }: StrictProvider,
): Promise<number> {
  const { status, body } = await node.call('GET', path)
  if (status !== 200) return status
  const authorization = `Bearer ${body.config.access_token}`
  const response = await fetch(`${url}/me`, { headers: { authorization } })
  await response.text()
  return response.status
}
