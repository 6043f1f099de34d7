import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { ERRORS, type ErrorCode } from '../src/errors.ts'
import type { Tables } from '../src/storage/tables.ts'
import { miniBundle } from './mini-bundle.ts'
import { type Origin, startOrigin } from './origin.ts'
import { type Answer, type TestApp, type TestAppOptions, testApp } from './test-app.ts'

/** The exact fields of answers, in alphabetical order (interface, and the decisions of design section 4). */
export const KEYS = {
  account: [
    'accountIdentifier',
    'authType',
    'createdAt',
    'deleted',
    'integrationAccountId',
    'integrationAccountName',
    'integrationConfiguration',
    'integrationDefinitionId',
    'linkId',
    'status',
    'statusReason',
    'updatedAt',
    'workspaceId',
  ],
  definition: [
    'createdAt',
    'deleted',
    'icon',
    'integrationDefinitionId',
    'integrationType',
    'key',
    'name',
    'releaseStage',
    'sourceUrl',
    'updatedAt',
    'version',
    'workspaceId',
  ],
  link: [
    'IntegrationAccount',
    'allowedOrigins',
    'canExpire',
    'category',
    'createdAt',
    'expiresIn',
    'linkId',
    'linkName',
    'maxAccounts',
    'maxAccountsPerIdentifier',
    'preferOAuth',
    'redirectURLs',
    'updatedAt',
    'workspaceId',
  ],
  failure: ['error', 'errors', 'message', 'path', 'status', 'statusCode', 'timestamp'],
} as const

export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A service and a real server beside it, which serves bundles and plays the provider. */
export interface World extends TestApp {
  readonly origin: Origin
  /** Makes a definition; by default of the mini bundle, under a name of its own. */
  define(given?: DefineOptions): Promise<Record<string, string>>
  /** Makes an account of the definition; by default with a key that works. */
  connect(
    definitionId: string,
    body?: Record<string, unknown>,
    token?: string,
  ): Promise<Record<string, string>>
}

export interface DefineOptions {
  readonly code?: string
  readonly token?: string
  readonly [field: string]: unknown
}

/** Starts both. Close in `after`. */
export async function startWorld(options: TestAppOptions = {}): Promise<World> {
  const origin = await startOrigin()
  origin.serve('/check', (request, response) =>
    response.writeHead(request.headers['x-api-key'] === 'wrong' ? 401 : 200).end('{}'),
  )
  const app = await testApp(options)
  let count = 0
  return {
    ...app,
    origin,
    async define({ code = miniBundle(), token = app.token, ...body } = {}) {
      const sourceUrl = body.sourceUrl ?? origin.bundle(code)
      const given = { name: `Mini ${++count}`, integrationType: 'TICKETING', ...body, sourceUrl }
      return created(await app.call('POST', '/v1/integration_definition', { body: given, token }))
    },
    async connect(definitionId, body = {}, token = app.token) {
      const given = {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'An account',
        authType: 'Api Key',
        config: { api_key: 'key_that_works' },
        ...body,
      }
      return created(await app.call('POST', '/v1/integration_account', { body: given, token }))
    },
    async close() {
      await app.close()
      await origin.close()
    },
  }
}

/** The body of a 201. */
export function created(answer: Answer) {
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** The body of a 200. */
export function fine(answer: Answer) {
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Holds an answer to be the ApiException of this code, whole; answers its body. */
export function refused(answer: Answer, code: ErrorCode) {
  const [status, kind] = ERRORS[code]
  assert.equal(answer.body?.error, code, answer.text)
  assert.equal(answer.status, status)
  assert.deepEqual(Object.keys(answer.body).sort(), KEYS.failure)
  assert.deepEqual([answer.body.statusCode, answer.body.status], [status, kind])
  assert.match(answer.body.timestamp, ISO)
  assert.equal(answer.headers['cache-control'], 'no-store')
  return answer.body
}

/** Holds an object to exactly these fields. */
export function hasKeys(value: object, keys: readonly string[]): void {
  assert.deepEqual(Object.keys(value).sort(), [...keys].sort())
}

const TABLES: readonly (keyof Tables)[] = [
  'users',
  'workspaces',
  'tokens',
  'bundles',
  'definitions',
  'accounts',
  'links',
  'oauth_apps',
  'oauth_attempts',
  'workspace_keys',
  'key_checks',
]

/** A hash over every row of every table but the audit trail; `last_used_at` does not count. */
export async function digest({ database }: TestApp): Promise<string> {
  const rows = await Promise.all(
    TABLES.map(async (table) => {
      const all: object[] = await database.read.selectFrom(table).selectAll().execute()
      return all.map((row) => JSON.stringify({ ...row, last_used_at: null })).sort()
    }),
  )
  return hash('sha256', JSON.stringify(rows))
}

/** How many rows a table has. */
export async function countRows({ database }: TestApp, table: keyof Tables): Promise<number> {
  return (await database.read.selectFrom(table).selectAll().execute()).length
}

/** Actions of the audit trail about this subject, in order. */
export async function auditOf({ database }: TestApp, subject: string): Promise<string[]> {
  const rows = await database.read
    .selectFrom('audit_events')
    .select('action')
    .where('subject', '=', subject)
    .orderBy('at')
    .orderBy('event_id')
    .execute()
  return rows.map(({ action }) => action)
}

/** The path of SQLite's file. */
export async function databaseFile({ database }: TestApp): Promise<string> {
  const { rows } = await sql<{ file: string }>`PRAGMA database_list`.execute(database.read)
  assert.ok(rows[0]?.file, 'the database is a file')
  return rows[0].file
}

/** Everything that SQLite has on disk: the database file and its log. */
export async function databaseBytes(app: TestApp): Promise<Buffer> {
  const file = await databaseFile(app)
  const parts = [file, `${file}-wal`].filter((path) => existsSync(path))
  return Buffer.concat(parts.map((path) => readFileSync(path)))
}
