import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { getValidCredentials } from '../../../server/src/accounts/accounts/token-refresh/get-valid-credentials.ts'
import { expectOk } from '../../../server/test/test-context.ts'
import {
  type NangoImportContext,
  type ProgramRun,
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
    context.nango.clientIds.clear()
    context.nango.canReadCredentials = true
    context.nango.limit = undefined
    context.nango.refused = 0
    context.nango.reads.clear()
    context.nango.refreshes.clear()
  })
  after(() => context.close())

  const newReport = () => path.join(context.folder, `${++reports}.jsonl`)
  const createArgs = (report: string, ...more: string[]) =>
    ['--from', context.nango.url, '--report', report].concat(more)
  const countAccounts = async () =>
    (await context.t.database.read.selectFrom('accounts').select('account_id').execute()).length

  it('a dry run lists what it would import, and neither reads refresh tokens nor stores anything', async () => {
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

  it('a dry run reports settings that are lost and connections that cannot be imported', async () => {
    context.addConnections(1, { id: 'kept', connectionConfig: { region: 'eu' } })
    context.addConnections(1, { id: 'lost', connectionConfig: { plan: 'x' }, metadata: { a: 1 } })
    context.addConnections(1, { id: 'elsewhere', connectionConfig: { 'api-host': 'eu' } })
    const run = await context.run(createArgs(newReport()))
    const lines = new Map(
      run.lines.map((line) => JSON.parse(line)).map((one) => [one.connectionId, one]),
    )
    assert.equal(lines.get('kept').unused, undefined)
    assert.deepEqual(lines.get('lost').unused, ['connection_config.plan', 'metadata.a'])
    assert.equal(lines.get('elsewhere').outcome, 'unsupported')
    assert.match(lines.get('elsewhere').reason, /connection_config.api-host/)
    assert.equal(run.code, 1)
  })

  it('says in a dry run that the key cannot read credentials, and reads none with --apply', async () => {
    context.addConnections(2)
    context.nango.canReadCredentials = false
    const dry = await context.run(createArgs(newReport()))
    assert.match(dry.stderr, /environment:connections:read_credentials/)
    assert.deepEqual([dry.code, listOutcomes(dry)], [1, ['would_import', 'would_import']])
    const run = await context.run(createArgs(newReport(), '--apply', '--yes'))
    assert.match(run.stderr, /environment:connections:read_credentials/)
    assert.deepEqual([run.code, run.lines], [1, []])
    assert.equal(context.nango.refreshes.size, 0)
  })

  it('compares the OAuth clients: tokens of another client than that of the app are not stored', async () => {
    const own = (client_id: string) => ({
      type: 'OAUTH2',
      access_token: 'x',
      refresh_token: 'y',
      expires_at: '2099-01-01T00:00:00Z',
      config_override: { client_id, client_secret: 's' },
    })
    const accounts = await countAccounts()
    context.addConnections(1, { id: 'same' })
    context.addConnections(1, { id: 'own', credentials: own('another-client') })
    context.addConnections(1, { id: 'given', credentials: own(context.clientId) })
    const read = async (clientId: string, ...args: string[]) => {
      context.nango.clientIds.set('strict', clientId)
      const run = await context.run(createArgs(newReport(), ...args))
      return run.lines
        .map((line) => JSON.parse(line))
        .map((one) => `${one.connectionId} ${one.outcome} ${one.reason ?? ''}`)
        .sort()
    }
    const OTHER =
      'The OAuth app of the definition has another client ID than its integration in Nango.'
    const OWN = 'own unsupported It has an OAuth client of its own.'
    assert.deepEqual(await read('another-client'), [
      'given would_import ',
      OWN,
      `same unsupported ${OTHER}`,
    ])
    assert.deepEqual(await read(''), [
      'given would_import ',
      OWN,
      'same unsupported Its integration uses an OAuth app of Nango.',
    ])
    const apply = ['--apply', '--yes', '--unchecked']
    assert.deepEqual(await read('another-client', ...apply), [
      'given imported ',
      OWN,
      `same unsupported ${OTHER}`,
    ])
    assert.deepEqual(await read(context.clientId, ...apply), [
      'given found ',
      OWN,
      'same imported ',
    ])
    assert.equal((await countAccounts()) - accounts, 2)
  })

  it('warns that Nango revokes the grant if the connection is deleted there', async () => {
    context.addConnections(1, { provider: 'linear' })
    const run = await context.run(createArgs(newReport()))
    assert.match(JSON.parse(run.lines[0] ?? '').warning, /Do not delete this connection in Nango/)
  })

  it('reports a connection whose grant was revoked, and exits with 0', async () => {
    context.addConnections(1, { id: 'good' })
    context.addConnections(1, { id: 'ended' })
    context.addConnections(1, { id: 'late' })
    const [, ended, late] = context.nango.connections
    const past = new Date(0).toISOString()
    Object.assign(ended?.credentials ?? {}, { refresh_token: 'unknown', expires_at: past })
    const lateToken = String(late?.credentials.refresh_token)
    Object.assign(late?.credentials ?? {}, { refresh_token: 'unknown', expires_at: past })
    // The provider works again before the second time.
    context.nango.intercept = (url) => {
      const isAgain = url.pathname.endsWith('/late') && context.nango.reads.get('late') === 1
      if (isAgain) Object.assign(late?.credentials ?? {}, { refresh_token: lateToken })
      return false
    }
    const run = await context.run(createArgs(newReport(), '--apply', '--yes'))
    const outcomes = Object.fromEntries(
      run.lines.map((line) => JSON.parse(line)).map((one) => [one.connectionId, one.outcome]),
    )
    assert.deepEqual(outcomes, { good: 'checked', ended: 'revoked', late: 'checked' }, run.stderr)
    assert.match(run.stderr, /2 connections that Nango could not refresh are read again/)
    assert.equal(run.code, 0)
  })

  it('waits as long as Nango asks: all connections are imported in one run, in spite of its limit', async () => {
    context.addConnections(60)
    context.nango.limit = { requests: 10, windowMs: 2_000 }
    const run = await context.run(createArgs(newReport(), '--apply', '--yes', '--unchecked'))
    assert.deepEqual([run.code, run.lines.length], [0, 60], run.stderr)
    assert.deepEqual(new Set(listOutcomes(run)), new Set(['imported']))
    assert.ok(context.nango.refused > 0)
  })

  it('imports what was listed before Nango stopped listing, and exits with 1', async () => {
    context.addConnections(250)
    context.nango.intercept = (url, response) => {
      if (Number(url.searchParams.get('page') ?? 0) < 2) return false
      response.writeHead(400).end()
      return true
    }
    const run = await context.run(createArgs(newReport()))
    assert.equal(run.lines.length, 200)
    assert.match(run.stderr, /The list of connections ends early: Nango responded with 400/)
    assert.equal(run.code, 1)
  })

  it('reports a definition without an OAuth app in the dry run, as it will with --apply', async () => {
    context.addConnections(1, { integration: 'unregistered' })
    const definition = await context.t.createDefinition({
      code: context.bundle,
      name: 'Unregistered',
    })
    const map = ['--map', `unregistered=${definition.integrationDefinitionId}`]
    for (const args of [map, [...map, '--apply', '--yes']]) {
      const run = await context.run(createArgs(newReport(), ...args))
      const { outcome, reason } = JSON.parse(run.lines[0] ?? '{}')
      assert.deepEqual([outcome, reason, run.code], ['failed', 'oauth_app_missing', 1])
    }
  })

  it('continues with the next page after one that Nango refuses, and exits with 1', async () => {
    context.addConnections(250)
    context.nango.intercept = (url, response) => {
      if (url.searchParams.get('page') !== '1') return false
      response.writeHead(400).end()
      return true
    }
    const run = await context.run(createArgs(newReport()))
    assert.equal(run.lines.length, 150)
    assert.match(
      run.stderr,
      /Page 1 of the list of connections is missing: Nango responded with 400/,
    )
    assert.equal(run.code, 1)
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
      const run = await context.runProgram(args, (line, kill) => {
        if (JSON.parse(line).outcome === 'checked') fresh += 1
        if (fresh === done + perRun - 4) kill()
      })
      kills += run.code === null ? 1 : 0
      done = fresh
    }
    const last = await context.runProgram(args)
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

  function assertNoSecrets(run: ProgramRun, report: string): void {
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
      good: 'checked',
      bad: 'check_failed',
      app: 'unsupported',
      own: 'unsupported',
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
