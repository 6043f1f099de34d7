import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../test/postgres.ts'
import {
  databaseBytes,
  expectCreated,
  expectOk,
  readAllText,
  testContext,
} from '../../test/test-context.ts'
import type { AccountId } from '../accounts/account.ts'
import type { PageTestContext } from '../connect-page/test/page-test-context.ts'
import type { RevocationTestContext } from '../oauth-flow/test/revocation-test-context.ts'
import { getReturnParams, respondWithJson } from '../oauth-flow/test/stub-provider-context.ts'
import { createSampleRows } from '../storage/test/sample-rows.ts'
import { COLUMNS } from './test/erased-columns.ts'

describeOnBothDatabases('Every column', defineTests)

/** Every planted value contains it. */
const MARK = 'plant7f3'
const IDENTIFIER = `${MARK}-ident`
const RETURN_URL = 'https://north.example/done'

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: RevocationTestContext & PageTestContext
  before(async () => {
    t = await testContext({ provider: { revocation: true }, pages: true, url: await newUrl() })
  })
  after(() => t.close())

  it('is classified by what an erasure does to it', async () => {
    const tables = await t.database.read.introspection.getTables()
    const actual = tables
      .filter(({ name }) => !name.startsWith('sqlite_'))
      .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    const known = Object.entries(COLUMNS).flatMap(([table, columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    )
    assert.deepEqual(
      actual.filter((column) => !known.includes(column)),
      [],
      'say in test/erased-columns.ts what an erasure does to these columns, and make it do so',
    )
    assert.deepEqual(
      known.filter((column) => !actual.includes(column)),
      [],
      'these columns no longer exist',
    )
  })

  it('that can name a customer does so after real use, and no longer after the erasure; nor do the bytes of the file', async () => {
    await plant()
    const planted = await findMarkedColumns()
    const expected = Object.entries(COLUMNS).flatMap(([table, columns]) =>
      Object.entries(columns)
        .filter(([, kind]) => kind === 'scrubbed' || kind === 'deleted')
        .map(([column]) => `${table}.${column}`),
    )
    assert.deepEqual(planted.sort(), expected.sort(), 'what real use puts the planted values into')
    const body = { accountIdentifier: IDENTIFIER }
    const receipt = expectOk(await t.call('POST', '/v1/erasure', { body }))
    assert.equal(receipt.status, 'finished')
    assert.equal(receipt.revocations.revoked, 1)
    assert.deepEqual(await findMarkedColumns(), [])
    assert.ok(!(await readAllText(t)).includes(MARK))
    if (t.database.dialect !== 'sqlite') return
    const bytes = await databaseBytes(t)
    assert.ok(!bytes.includes(MARK), `in the file, at byte ${bytes.indexOf(MARK)}`)
  })

  /** Uses every operation that stores something about a customer. */
  async function plant(): Promise<void> {
    const { integrationDefinitionId } = await t.createDefinition()
    const config = { api_key: `${MARK}-secret`, base_url: `${t.stubServer.url}/${MARK}-public` }
    t.stubServer.serve(`/${MARK}-public/check`, (_request, response) =>
      response.writeHead(200).end('{}'),
    )
    const account = {
      accountIdentifier: IDENTIFIER,
      integrationAccountName: `${MARK} name`,
      tags: { [`${MARK}-key`]: `${MARK} value` },
      config,
    }
    const live = await t.createAccount(integrationDefinitionId, account)
    const deleted = await t.createAccount(integrationDefinitionId, account)
    expectOk(await t.call('DELETE', `/v1/integration_account/${deleted.integrationAccountId}`))
    await t.call('POST', `/v1/integration_account/${live.integrationAccountId}`, {
      body: { integrationAccountName: `${MARK} other name` },
    })
    await plantOAuth()
    const link = expectCreated(
      await t.call('POST', '/v1/link', {
        body: {
          linkName: `For ${IDENTIFIER}`,
          integrationDefinitionId,
          allowedOrigins: [`https://${IDENTIFIER}.example`],
          redirectURLs: [`${RETURN_URL}?customer=${IDENTIFIER}`],
        },
      }),
    )
    await plantSubmissions(link.linkId)
    expectCreated(
      await t.call('POST', '/v1/connect_session', {
        body: {
          linkId: link.linkId,
          accountIdentifier: IDENTIFIER,
          redirectURL: `${RETURN_URL}?customer=${IDENTIFIER}`,
          config: { [IDENTIFIER]: MARK },
          tags: { [`${MARK}-key`]: `${MARK} value` },
        },
      }),
    )
    await t.createToken({ name: `Of ${IDENTIFIER}`, workspaceId: t.workspaceId })
    const preview = `/v1/integration_definition/${integrationDefinitionId}/preview`
    expectOk(await t.call('POST', preview))
    await plantRows(live.integrationAccountId)
  }

  /** One connected account, and one session that was started only. */
  async function plantOAuth(): Promise<void> {
    t.respondToToken = respondWithJson(200, {
      access_token: `${MARK}user.1`,
      refresh_token: `${MARK}-refresh`,
      expires_in: 3600,
    })
    const input = { accountIdentifier: IDENTIFIER, integrationAccountName: `${MARK} signed in` }
    const { integrationAccountId } = getReturnParams(await t.completeFlow(input))
    assert.ok(integrationAccountId)
    await t.start(input)
  }

  /** A submission that is refused. */
  async function plantSubmissions(linkId: string): Promise<void> {
    const visitor = t.visitor()
    const form = await visitor.get(`/link/${linkId}?accountIdentifier=${IDENTIFIER}`)
    const values = { 'field.api_key': 'wrong', 'field.base_url': t.stubServer.url }
    await visitor.submit(form, values)
  }

  /** What providers, receivers of webhooks and proxies choose. */
  async function plantRows(accountId: AccountId): Promise<void> {
    while ((await findSequence(accountId)) === null) await sleep(10)
    const sequence = Number(await findSequence(accountId))
    const { webhook_endpoints, delivery_failures } = createSampleRows()
    const { endpoint_id } = webhook_endpoints
    await t.database.transaction(async (trx) => {
      // A shop of a customer may have a host of its own.
      await trx
        .updateTable('account_tokens')
        .set({ token_host: `${MARK}.example` })
        .execute()
      await trx
        .insertInto('webhook_endpoints')
        .values({ ...webhook_endpoints, workspace_id: t.workspaceId, due_at: null })
        .execute()
      await trx
        .insertInto('delivery_failures')
        .values({ ...delivery_failures, endpoint_id, sequence, response: MARK })
        .execute()
      await trx
        .updateTable('audit_events')
        .set({ ip: `${MARK}-address`, detail: JSON.stringify({ text: MARK }) })
        .where('subject', '=', accountId)
        .execute()
      await trx
        .updateTable('previews')
        .set({ result: JSON.stringify({ error: MARK }) })
        .execute()
      await trx.updateTable('visit_attempts').set({ field: MARK, hint: MARK }).execute()
      const redirect_url = `${RETURN_URL}?customer=${IDENTIFIER}`
      await trx.updateTable('oauth_attempts').set({ redirect_url }).execute()
    })
  }

  async function findSequence(subject: AccountId): Promise<number | null> {
    const { sequence } = await t.database.read
      .selectFrom('events')
      .select('sequence')
      .where('subject', '=', subject)
      .orderBy('position')
      .limit(1)
      .executeTakeFirstOrThrow()
    return sequence
  }

  /** The columns with a planted value, as `table.column`. */
  async function findMarkedColumns(): Promise<string[]> {
    const found: string[] = []
    for (const { name, columns } of await t.database.read.introspection.getTables()) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
        t.database.read,
      )
      for (const column of columns)
        if (rows.some((row) => toText(row[column.name]).includes(MARK)))
          found.push(`${name}.${column.name}`)
    }
    return found
  }
}

function toText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
}
