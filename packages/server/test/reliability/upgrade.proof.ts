import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { createSampleRows } from '../../src/platform/storage/test/sample-rows.ts'
import { describeOwnPostgres } from '../postgres.ts'
import { programPath } from '../program-environment.ts'
import { startLoadBalancer } from './load-balancer.ts'
import { countFailures, type RequestTime, startRequestLoad } from './request-load.ts'
import { createServiceSetup, startService } from './service-process.ts'
import { createUpgradeRequests } from './upgrade-requests.ts'

// The release before this one, as soon as there is one: until then, the same version.
const commit = process.env.UPGRADE_FROM ?? 'HEAD'
const accounts = Number(process.env.UPGRADE_ACCOUNTS ?? 10_000)
const clients = Number(process.env.UPGRADE_CLIENTS ?? 4)
const phaseMs = Number(process.env.UPGRADE_SECONDS ?? 10) * 1_000
const SLOWER = 3

describeOwnPostgres('A rolling upgrade of two nodes', (server) => {
  it(`from ${commit} with ${accounts} accounts fails no request, and its p99 is below ${SLOWER} times that before`, async (t) => {
    const folder = prepareOldVersion(t)
    const databaseUrl = await server().createDatabase('upgrade')
    const settings = { LINCHPIN_DRAIN_DELAY: '2' }
    const old = { program: join(folder, 'packages/server/src/main.ts'), databaseUrl, settings }
    const first = await createServiceSetup(old)
    const second = await createServiceSetup({ ...old, token: first.token })
    const firstService = await startService(first)
    const nodes = [
      { setup: first, service: firstService },
      { setup: second, service: await startService(second) },
    ]
    t.after(async () => {
      for (const { setup, service } of nodes) {
        await service.kill()
        await setup.remove()
      }
    })
    await fillAccounts(databaseUrl)
    const balancer = await startLoadBalancer(nodes.map(({ service }) => service.url))
    t.after(() => balancer.close())
    for (const { service } of nodes) await balancer.untilReady(service.url)
    const requests = await createUpgradeRequests(firstService)
    const load = startRequestLoad(balancer.url, first.token, clients, requests)
    await sleep(phaseMs)
    const upgradedAt = performance.now()
    for (const node of nodes) {
      assert.equal(await node.service.stop(), 0)
      node.service = await startService({ ...node.setup, program: programPath('main') })
      await balancer.untilReady(node.service.url)
    }
    const upgradeMs = performance.now() - upgradedAt
    await sleep(phaseMs)
    const { sent, sentOf, failures, times } = await load.stop()
    // The first second warms up.
    const before = times.filter(({ at }) => at > upgradedAt - phaseMs + 1_000 && at < upgradedAt)
    const during = times.filter(({ at }) => at >= upgradedAt && at < upgradedAt + upgradeMs)
    t.diagnostic(
      `${sent} requests, ${failures.length} failed; the upgrade took ${Math.round(upgradeMs)} ms; p99 before ${p99(before)} ms, during ${p99(during)} ms`,
    )
    t.diagnostic(`requests of each operation: ${JSON.stringify(sentOf)}`)
    assert.deepEqual(countFailures(failures), {}, failures.slice(0, 20).join('\n'))
    assert.ok(p99(during) < SLOWER * p99(before))
  })
})

/** A folder with the old version, ready to start: `UPGRADE_FOLDER`, or a new worktree of the repository. */
function prepareOldVersion(t: TestContext): string {
  const given = process.env.UPGRADE_FOLDER
  if (given !== undefined && existsSync(given)) return given
  const repository = fileURLToPath(new URL('../../../..', import.meta.url))
  const folder = join(repository, 'test-output', `upgrade-from-${commit}`)
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, 'worktree', ...args])
  git('add', '--force', '--detach', folder, commit)
  t.after(() => git('remove', '--force', folder))
  execFileSync(process.execPath, ['scripts/prepare.mjs', '--dev'], { cwd: folder, stdio: 'ignore' })
  return folder
}

/** Copies a sample account, and its tokens, which need no refresh. */
async function fillAccounts(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Without triggers and foreign keys: a million rows take a minute.
  await client.query('SET session_replication_role = replica')
  const { rows } = await client.query(
    'SELECT workspace_id FROM workspaces ORDER BY created_at DESC',
  )
  const { accounts: account, account_tokens: tokens } = createSampleRows()
  const workspace = { workspace_id: rows[0]?.workspace_id }
  await fillTable(client, 'accounts', { ...account, ...workspace })
  await fillTable(client, 'account_tokens', { ...tokens, ...workspace, refresh_at: null })
  await client.query('ANALYZE')
  await client.end()
}

async function fillTable(client: pg.Client, table: string, row: object): Promise<void> {
  const { rows } = await client.query(
    'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1',
    [table],
  )
  const known = new Set(rows.map(({ name }) => name))
  const entries = Object.entries(row).filter(([name]) => known.has(name) && name !== 'account_id')
  const values = entries.map(([, value]) =>
    value instanceof Uint8Array ? Buffer.from(value) : value,
  )
  const names = entries.map(([name]) => name).join(', ')
  await client.query(`CREATE TEMP TABLE template AS SELECT ${names} FROM ${table} LIMIT 0`)
  const places = entries.map((_, index) => `$${index + 1}`)
  await client.query(`INSERT INTO template VALUES (${places.join(', ')})`, values)
  await client.query(
    `INSERT INTO ${table} (account_id, ${names})
    SELECT 'acc_' || lpad(number::text, 26, '0'), template.*
    FROM template, generate_series(1, ${accounts}) AS number`,
  )
  await client.query('DROP TABLE template')
}

const p99 = (times: readonly RequestTime[]): number => {
  const sorted = times.map(({ ms }) => ms).sort((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)
}
