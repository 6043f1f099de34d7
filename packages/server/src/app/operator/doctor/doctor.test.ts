import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it, type TestContext as NodeTest } from 'node:test'
import { describePostgres } from '../../../../test/postgres.ts'
import { databaseFile, expectCreated, testContext } from '../../../../test/test-context.ts'
import type { AccountId } from '../../../accounts/accounts/account.ts'
import { sealIssuedHeaders } from '../../../accounts/accounts/token-refresh/auth-headers/bundle-headers.ts'
import { createRotationStore } from '../../../accounts/accounts/verification/rotation-store.ts'
import { createApprovalContext } from '../../../accounts/agents/agent-approval.ts'
import { createExchangeContext } from '../../../activity/requests/debug-window-store.ts'
import { getUrlContext } from '../../../connect/bulk-jobs/bulk-job.ts'
import type { PageTestContext } from '../../../connect/connect-page/test/page-test-context.ts'
import type { RevocationTestContext } from '../../../connect/oauth-flow/test/revocation-test-context.ts'
import { getReturnParams } from '../../../connect/oauth-flow/test/stub-provider-context.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import { writeBackup } from '../../../platform/storage/backup.ts'
import { CATALOGUE_WORKSPACE_ID } from '../../../platform/storage/id.ts'
import { connectSqlite } from '../../../platform/storage/sqlite-connection.ts'
import { createSampleRows } from '../../../platform/storage/test/sample-rows.ts'
import { createTemporaryFolder } from '../../../platform/storage/test/test-database.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { SEALED_COLUMNS } from '../../../platform/vault/sealed-value-store.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import { getIdentifierContext } from '../../../privacy/erasure/erasure.ts'
import { createSecretsReader } from '../../idempotency/idempotency-secrets.ts'
import { readEnvironment } from '../../start/environment.ts'
import type { OperatorContext } from '../operator-command.ts'
import type { Finding } from './check-rows.ts'
import { doctorCommand } from './doctor-command.ts'

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`

describe('npm run linchpin -- doctor', () => {
  let t: RevocationTestContext & PageTestContext
  /** A copy of the database after real use. */
  let source: string
  before(async () => {
    t = await testContext({ provider: { revocation: true }, pages: true })
    await fill()
    source = await databaseFile(t)
  })
  after(() => t.close())

  it('opens a value of every sealed column, and finds nothing wrong', async (test) => {
    const { code, findings, output } = await examine(await copy(test))
    assert.deepEqual([code, findings], [0, []])
    assert.match(
      output,
      /^Read \d+ rows, opened \d+ sealed values, hashed \d+ bundles and icons\.$/m,
    )
    const connection = connectSqlite(source, { readOnly: true, busyTimeout: 1_000 })
    const empty = SEALED_COLUMNS.filter(
      ({ table, column }) =>
        connection.query(`SELECT 1 FROM ${table} WHERE length(${column}) > 0`, []).rows.length ===
        0,
    )
    connection.close()
    assert.deepEqual(empty, [], 'fill them')
  })

  it('names integrations that are overridden, and overrides of the instance that do not fit', async (test) => {
    const database = await copy(test, (run) =>
      run(
        `UPDATE definitions SET source_url = 'ni:///sha-256;x', workspace_id = '${CATALOGUE_WORKSPACE_ID}', latest_version = '1.0.0' WHERE definition_id = (SELECT min(definition_id) FROM definitions)`,
      ),
    )
    const file = path.join(path.dirname(database), 'overrides.json')
    writeFileSync(
      file,
      '{"github": {"colour": 1}, "none": {}, "close": {"check": {"get": "/me/"}}}',
    )
    const { findings, output } = await examine(database, KEYS, '', {
      LINCHPIN_CATALOGUE_OVERRIDES: file,
    })
    const own = findings.filter(({ check }) => check === 'overrides')
    assert.deepEqual(
      own.map(({ subject, problem }) => [subject.split(': ')[1], problem]),
      [
        ['github', 'colour: is not a property of an entry here.'],
        ['none', 'The catalogue of this release has no entry with this key.'],
      ],
    )
    assert.match(output, /^Overridden integrations of the catalogue: \w+ \(this instance\)\.$/m)
  })

  it('says when an emulator answers instead of all providers', async (test) => {
    const { code, findings } = await examine(await copy(test), KEYS, '', {
      LINCHPIN_EMULATOR: 'http://127.0.0.1:4250',
      LINCHPIN_EGRESS_ALLOW: '127.0.0.1:4250',
    })
    assert.equal(code, 1)
    assert.match(JSON.stringify(findings), /LINCHPIN_EMULATOR/)
  })

  for (const { table, column } of SEALED_COLUMNS)
    it(`finds a changed byte in ${table}.${column}`, async (test) => {
      const file = await copy(test, (run) =>
        run(`UPDATE ${table} SET ${column} = CAST(substr(${column}, 1, length(${column}) - 1) ||
          CASE hex(substr(${column}, -1)) WHEN '00' THEN x'01' ELSE x'00' END AS BLOB)
          WHERE length(${column}) > 0`),
      )
      const { code, findings } = await examine(file)
      assert.equal(code, 1)
      assert.ok(findings.length > 0)
      for (const { check, subject, problem } of findings) {
        assert.deepEqual([check, subject.split('/')[0]], ['sealed values', table])
        assert.match(problem, new RegExp(`^${column} cannot be opened: .+\\.$`))
      }
    })

  it('finds a file that has changed since the service closed it', async (test) => {
    const file = await copy(test)
    writeFileSync(`${file}.sha256`, `${'0'.repeat(64)}  linchpin.db\n`)
    const { code, findings } = await examine(file)
    assert.equal(code, 1)
    assert.deepEqual(
      findings.map(({ check, subject, remedy }) => [check, subject, remedy]),
      [['files', file, 'Restore a backup.']],
    )
    assert.match(findings[0]?.problem ?? '', /^The database file is damaged: since .+\.$/)
  })

  it('finds a value that was moved to another account', async (test) => {
    const file = await copy(test, (run) =>
      run('UPDATE accounts SET sealed_config = (SELECT max(sealed_config) FROM accounts)'),
    )
    const { findings } = await examine(file)
    assert.deepEqual(
      new Set(findings.map(({ subject }) => subject.slice(0, 12))),
      new Set(['accounts/acc']),
    )
  })

  it('finds a changed bundle, and a missing migration', async (test) => {
    const file = await copy(test, (run) => {
      run(`UPDATE bundles SET code = code || x'20'`)
      run('DELETE FROM kysely_migration WHERE name = (SELECT max(name) FROM kysely_migration)')
    })
    const { findings } = await examine(file)
    assert.deepEqual(new Set(findings.map(({ check }) => check)), new Set(['contents', 'schema']))
  })

  it('opens no value of an older schema, in which all would seem to be damaged', async (test) => {
    const file = await copy(test, (run) => {
      run(`DELETE FROM kysely_migration WHERE name = '0001-initial'`)
      run('ALTER TABLE workspace_keys DROP COLUMN data_key')
    })
    const { findings } = await examine(file)
    assert.deepEqual(
      findings.map(({ check, problem }) => [check, problem]),
      [['schema', 'Migrations are missing: 0001-initial.']],
    )
  })

  it('finds a damaged page, and reports the rest all the same', async (test) => {
    const file = await copy(test)
    const bytes = Buffer.alloc(4_096, 0xa5)
    writeFileSync(file, bytes, { flag: 'r+' })
    const { code, findings } = await examine(file)
    assert.deepEqual([code, findings.map(({ check }) => check)], [1, ['structure']])
  })

  it('finds files that others can read, missing keys, a wrong key, and a missing or an empty database', async (test) => {
    const file = await copy(test)
    chmodSync(file, 0o644)
    const readable = await examine(file)
    assert.deepEqual(
      readable.findings.map(({ subject, problem }) => [subject, problem]),
      [[file, 'Other users can read it: its mode is 644.']],
    )
    chmodSync(file, 0o600)
    const withoutKeys = await examine(file, '')
    assert.deepEqual(
      withoutKeys.findings.map(({ check }) => check),
      ['keys'],
    )
    const wrong = await examine(file, `other:${Buffer.alloc(32, 8).toString('base64')}`)
    assert.ok(wrong.findings.length > 5)
    assert.match(wrong.findings[0]?.remedy ?? '', /^Add the missing key/)
    writeFileSync(file, '')
    assert.deepEqual(
      (await examine(file)).findings.map(({ problem }) => problem),
      ['The database file is empty.'],
    )
    assert.equal((await examine(path.join(path.dirname(file), 'no', 'linchpin.db'))).code, 1)
  })

  /** Uses everything that seals values. */
  async function fill(): Promise<void> {
    const { integrationDefinitionId } = await t.createDefinition()
    await t.createAccount(integrationDefinitionId)
    const { integrationAccountId } = getReturnParams(await t.completeFlow({}))
    await t.start({})
    const link = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } }))
    const session = { linkId: link.linkId, accountIdentifier: 'a', config: { a: 'b' } }
    expectCreated(await t.call('POST', '/v1/connect_session', { body: session }))
    const endpoint = { url: 'https://127.0.0.1:9/', headers: { 'X-Key': 'k' } }
    expectCreated(await t.call('POST', '/v1/webhook_endpoint', { body: endpoint }))
    await fillRows(integrationDefinitionId, integrationAccountId as AccountId)
  }

  /** What takes minutes or a crash in real use. */
  async function fillRows(definitionId: DefinitionId, accountId: AccountId): Promise<void> {
    const { database, workspaceId } = t
    const vault = createVault({ database, keys: parseKeys(KEYS), now: Date.now })
    await createSecretsReader({ database, vault, now: Date.now })()
    await createRotationStore(database, vault, Date.now).store(
      { tenant: { workspaceId }, definitionId, authType: 'a' },
      { configuredToken: 'a', accessToken: 'b', refreshToken: 'c', binding: undefined } as never,
    )
    const headers = await sealIssuedHeaders(
      ...([{ vault }, { workspaceId, accountId }, { config: {} }] as never as [
        never,
        never,
        never,
      ]),
      ...([{ headers: {} } as never, { expiresAt: undefined } as never, Date.now()] as const),
    )
    const { agent_approvals, erasures, bulk_job_items, debug_exchanges } = createSampleRows()
    const job = { workspaceId, bulkJobId: bulk_job_items.bulk_job_id }
    const sealedUrl = await vault.seal(getUrlContext(job, accountId), 'https://a.example.com')
    const erasure = { workspaceId, identifierHash: erasures.identifier_hash }
    const sealed = await vault.seal(getIdentifierContext(erasure), 'a')
    const { request_log_id } = debug_exchanges
    const exchange = await vault.seal(createExchangeContext(workspaceId, request_log_id), '{}')
    const agentApprovalId = agent_approvals.agent_approval_id
    const approvalContext = createApprovalContext({ workspaceId, agentApprovalId })
    const sealed_request = await vault.seal(approvalContext, '{}')
    await database.transaction(async (trx) => {
      await trx
        .insertInto('agent_approvals')
        .values({ ...agent_approvals, workspace_id: workspaceId, sealed_request })
        .execute()
      await trx
        .insertInto('debug_exchanges')
        .values({ ...debug_exchanges, workspace_id: workspaceId, sealed: exchange })
        .execute()
      const erasureRow = { ...erasures, workspace_id: workspaceId, sealed_identifier: sealed }
      await trx.insertInto('erasures').values(erasureRow).execute()
      const item = { ...bulk_job_items, account_id: accountId, workspace_id: workspaceId }
      await trx
        .insertInto('bulk_job_items')
        .values({ ...item, sealed_url: sealedUrl })
        .execute()
      const tokens = trx.updateTable('account_tokens').set({ sealed_headers: headers ?? null })
      await tokens.where('account_id', '=', accountId).execute()
    })
  }

  async function copy(test: NodeTest, change?: (run: (sql: string) => void) => void) {
    const file = path.join(await createTemporaryFolder(test), 'linchpin.db')
    await writeBackup(source, file)
    const connection = connectSqlite(file, { readOnly: false, busyTimeout: 0 })
    change?.((sql) => void connection.query(sql, []))
    connection.close()
    return file
  }
})

describePostgres('npm run linchpin -- doctor on PostgreSQL', (server) => {
  it('opens the values, and finds one that was changed', async () => {
    const url = await server().createMigratedDatabase()
    const t = await testContext({ url })
    const { integrationDefinitionId } = await t.createDefinition()
    await t.createAccount(integrationDefinitionId)
    assert.equal((await examine('/no/linchpin.db', KEYS, url)).code, 0)
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ sealed_config: Buffer.from('damaged') })
        .execute(),
    )
    const { code, findings } = await examine('/no/linchpin.db', KEYS, url)
    assert.deepEqual([code, findings.map(({ check }) => check)], [1, ['sealed values']])
    await t.close()
  })
})

async function examine(file: string, keys = KEYS, url = '', more: Record<string, string> = {}) {
  const output: string[] = []
  const context: OperatorContext = {
    env: {},
    output: { log: (text) => void output.push(text), error: () => undefined },
    now: Date.now,
    openOptions: { onNotice: assert.fail, onFatal: assert.fail, now: Date.now },
    loadConfig: () =>
      readEnvironment({
        LINCHPIN_DATA_DIR: path.dirname(file),
        LINCHPIN_KEYS: keys,
        DATABASE_URL: url,
        ...more,
      }),
    open: assert.fail,
  }
  const code = await doctorCommand([], context)
  const lines: string[] = []
  await doctorCommand(['--json'], {
    ...context,
    output: { ...context.output, log: (text) => void lines.push(text) },
  })
  const findings = lines.map((line) => JSON.parse(line) as Finding)
  return { code, findings, output: output.join('\n') }
}
