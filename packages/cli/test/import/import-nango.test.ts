import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { getValidCredentials } from '../../../server/src/accounts/token-refresh/get-valid-credentials.ts'
import { expectOk } from '../../../server/test/test-context.ts'
import {
  type NangoImportContext,
  type Run,
  startNangoImportContext,
} from './nango-import-context.ts'

/** `npm run proof -- import-nango` sets larger numbers. */
const CONNECTIONS = Number(process.env.IMPORT_CONNECTIONS ?? 40)
const KILLS = Number(process.env.IMPORT_KILLS ?? 2)

const listOutcomes = ({ lines }: Run) => lines.map((line) => JSON.parse(line).outcome)

describe('linchpin import nango', () => {
  let context: NangoImportContext
  let reports = 0
  before(async () => {
    context = await startNangoImportContext()
  })
  afterEach(() => {
    context.nango.connections.length = 0
    context.nango.queries.length = 0
    context.nango.intercept = undefined
    context.nango.reads.clear()
    context.nango.refreshes.clear()
  })
  after(() => context.close())

  const newReport = () => path.join(context.folder, `${++reports}.jsonl`)
  const createArgs = (report: string, ...more: string[]) =>
    ['--from', context.nango.url, '--report', report].concat(more)
  const countAccounts = async () =>
    (await context.t.database.read.selectFrom('accounts').select('account_id').execute()).length

  it('a dry run lists what it would import, and neither reads credentials nor stores anything', async () => {
    context.addConnections(3)
    context.addConnections(1, { integration: 'other', provider: 'unknown' })
    const accounts = await countAccounts()
    const run = await context.run(createArgs(newReport()))
    assert.deepEqual(listOutcomes(run).sort(), [
      ...['unmapped', 'would_import', 'would_import', 'would_import'],
    ])
    assert.match(run.stderr, /This was a dry run: add --apply/)
    assert.equal(run.code, 1, 'a connection without a definition is left')
    assert.equal(context.nango.reads.size, 0)
    assert.equal(await countAccounts(), accounts)
  })

  it('asks whether Nango has stopped before it imports', async () => {
    context.addConnections(1)
    const run = await context.run(createArgs(newReport(), '--apply'))
    assert.match(run.stderr, /Stop refreshing tokens in Nango first/)
    assert.deepEqual([run.code, run.lines.length, context.nango.reads.size], [1, 0, 0])
  })

  it(`${CONNECTIONS} connections, killed ${KILLS} times: as many accounts, no duplicates, tokens refreshed by one side only`, async () => {
    const { nango, t, provider } = context
    context.addConnections(CONNECTIONS)
    const report = newReport()
    const accounts = await countAccounts()
    const args = createArgs(report, '--apply', '--yes')
    const perRun = Math.ceil(CONNECTIONS / (KILLS + 1))
    let kills = 0
    let done = 0
    for (let round = 0; round < KILLS; round += 1) {
      let fresh = 0
      const run = await context.run(args, (line, kill) => {
        if (JSON.parse(line).outcome === 'checked') fresh += 1
        if (fresh === done + perRun - 4) kill()
      })
      kills += run.code === null ? 1 : 0
      done = fresh
    }
    const last = await context.run(args)
    assert.deepEqual([kills, last.code], [KILLS, 0], last.stderr)
    assert.deepEqual(new Set(listOutcomes(last)), new Set(['checked']))
    assert.equal(last.lines.length, CONNECTIONS)
    assert.equal((await countAccounts()) - accounts, CONNECTIONS)
    const imported = expectOk(await t.call('GET', '/v1/integration_account')).slice(-CONNECTIONS)
    const ids = new Set(imported.map((one: { tags: object }) => JSON.stringify(one.tags)))
    assert.equal(ids.size, CONNECTIONS, 'one account for each connection')
    for (const { id } of nango.connections) assert.ok((nango.refreshes.get(id) ?? 0) <= 1)
    await useAll(last)
    assert.equal(provider.reuseCount(), 0, 'no refresh token was used twice')
    assert.ok(provider.families.every((family) => !family.isRevoked))
    assertNoSecrets(last, report)
  })

  /** Refreshes the tokens of all accounts in Linchpin. */
  async function useAll({ lines }: Run): Promise<void> {
    const node = context.node()
    for (const line of lines) {
      const id = JSON.parse(line).integrationAccountId
      await context.change(id, { token_expires_at: 1, refresh_at: 1 })
      await getValidCredentials(node, id)
    }
  }

  function assertNoSecrets(run: Run, report: string): void {
    const { secretKey } = context.nango
    const text = [readFileSync(report, 'utf8'), ...run.lines, run.stderr, ...run.args].join('\n')
    for (const secret of [secretKey, context.t.token, 'access-', 'refresh-'])
      assert.ok(!text.includes(secret), secret)
    assert.equal(statSync(report).mode & 0o777, 0o600)
  }

  it('an account keeps the time, the name and the customer of its connection, and is found by its tags', async () => {
    context.addConnections(1, { id: 'a/b c', connectionConfig: { region: 'eu', other: 'x' } })
    await context.run(createArgs(newReport(), '--apply', '--yes', '--unchecked'))
    const tag = encodeURIComponent('nango.connection_id:a/b c')
    const [account] = expectOk(await context.t.call('GET', `/v1/integration_account?tag=${tag}`))
    assert.equal(account.createdAt, '2025-03-01T09:30:00.000Z')
    assert.match(account.integrationAccountName, /^Customer \d+$/)
    assert.match(account.accountIdentifier, /^customer-\d+$/)
    assert.equal(account.statusReason, 'unchecked')
    const config = await context.config(account.integrationAccountId)
    assert.deepEqual([config.region, config.other], ['eu', undefined])
  })

  it('does not read a connection again whose account exists, even without the report', async () => {
    context.addConnections(2)
    await context.run(createArgs(newReport(), '--apply', '--yes', '--unchecked'))
    context.nango.reads.clear()
    const again = await context.run(createArgs(newReport(), '--apply', '--yes', '--unchecked'))
    assert.deepEqual(listOutcomes(again), ['found', 'found'])
    assert.equal(context.nango.reads.size, 0)
    assert.equal(again.code, 0)
  })

  it('never asks Nango to refresh a token', async () => {
    context.addConnections(1)
    await context.run(createArgs(newReport(), '--apply', '--yes'))
    assert.ok(context.nango.queries.length > 1)
    assert.ok(!context.nango.queries.join().includes('force_refresh'))
  })

  it('reports connections that cannot be imported, and those whose credentials do not work', async () => {
    const key = { type: 'API_KEY' }
    context.addConnections(1, { id: 'good', credentials: { ...key, apiKey: 'a-good-key' } })
    context.addConnections(1, { id: 'bad', credentials: { ...key, apiKey: 'a-bad-key' } })
    context.addConnections(1, { id: 'app', credentials: { type: 'APP', jwtToken: 'x' } })
    const own = { type: 'OAUTH2', access_token: 'x', config_override: { client_id: 'own' } }
    context.addConnections(1, { id: 'own', credentials: { ...own, expires_at: '2099-01-01' } })
    const run = await context.run(createArgs(newReport(), '--apply', '--yes'))
    const outcomes = Object.fromEntries(
      run.lines.map((line) => JSON.parse(line)).map((line) => [line.connectionId, line.outcome]),
    )
    assert.deepEqual(outcomes, {
      ...{ good: 'checked', bad: 'check_failed', app: 'unsupported', own: 'unsupported' },
    })
    assert.equal(run.code, 1)
  })

  it('repeats a request that Nango refuses for a moment, and stops when Nango refuses the key', async () => {
    context.addConnections(2)
    let failures = 0
    context.nango.intercept = (_url, response) => {
      failures += 1
      if (failures % 2 === 0) return false
      response.writeHead(429).end()
      return true
    }
    const run = await context.run(createArgs(newReport(), '--apply', '--yes'))
    assert.deepEqual(listOutcomes(run), ['checked', 'checked'], run.stderr)
    context.nango.intercept = (_url, response) => {
      response.writeHead(403).end()
      return true
    }
    const refused = await context.run(createArgs(newReport(), '--apply', '--yes'))
    assert.deepEqual([refused.code, refused.lines], [1, []])
    assert.match(refused.stderr, /Nango responded with 403/)
  })
})
