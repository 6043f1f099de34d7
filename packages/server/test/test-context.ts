import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { ERRORS, type ErrorCode } from '../src/errors.ts'
import type { Tables } from '../src/storage/tables.ts'
import { miniBundle } from './mini-bundle.ts'
import { type StubServer, startStubServer } from './stub-server.ts'
import { type TestApp, type TestAppOptions, type TestResponse, testApp } from './test-app.ts'

/** The exact fields of responses, in alphabetical order. */
export const RESPONSE_KEYS = {
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

export const ISO_TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A service, and a stub server that serves bundles and stands in for the provider. */
export interface TestContext extends TestApp {
  readonly stubServer: StubServer
  /** Creates a definition, by default of the mini bundle with a unique name. */
  createDefinition(options?: DefineOptions): Promise<Record<string, string>>
  /** Creates an account of the definition, by default with a valid key. */
  createAccount(
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
export async function startTestContext(options: TestAppOptions = {}): Promise<TestContext> {
  const stubServer = await startStubServer()
  stubServer.serve('/check', (request, response) =>
    response.writeHead(request.headers['x-api-key'] === 'wrong' ? 401 : 200).end('{}'),
  )
  const app = await testApp(options)
  let count = 0
  return {
    ...app,
    stubServer,
    async createDefinition({ code = miniBundle(), token = app.token, ...body } = {}) {
      const sourceUrl = body.sourceUrl ?? stubServer.bundle(code)
      const payload = { name: `Mini ${++count}`, integrationType: 'TICKETING', ...body, sourceUrl }
      return expectCreated(
        await app.call('POST', '/v1/integration_definition', { body: payload, token }),
      )
    },
    async createAccount(definitionId, body = {}, token = app.token) {
      const payload = {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'An account',
        authType: 'Api Key',
        config: { api_key: 'key_that_works' },
        ...body,
      }
      return expectCreated(
        await app.call('POST', '/v1/integration_account', { body: payload, token }),
      )
    },
    async close() {
      await app.close()
      await stubServer.close()
    },
  }
}

/** Asserts the status 201 and returns the body. */
export function expectCreated(response: TestResponse) {
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** Asserts the status 200 and returns the body. */
export function expectOk(response: TestResponse) {
  assert.equal(response.status, 200, response.text)
  return response.body
}

/** Asserts that a response is the ApiException of this code and returns its body. */
export function expectError(response: TestResponse, code: ErrorCode) {
  const [status, errorClass] = ERRORS[code]
  assert.equal(response.body?.error, code, response.text)
  assert.equal(response.status, status)
  assert.deepEqual(Object.keys(response.body).sort(), RESPONSE_KEYS.failure)
  assert.deepEqual([response.body.statusCode, response.body.status], [status, errorClass])
  assert.match(response.body.timestamp, ISO_TIMESTAMP)
  assert.equal(response.headers['cache-control'], 'no-store')
  return response.body
}

/** Asserts that an object has exactly these fields. */
export function expectKeys(value: object, keys: readonly string[]): void {
  assert.deepEqual(Object.keys(value).sort(), [...keys].sort())
}

const HASHED_TABLES: readonly (keyof Tables)[] = [
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

/** A hash over all tables except the audit trail, without `last_used_at`. */
export async function hashAllTables({ database }: TestApp): Promise<string> {
  const rows = await Promise.all(
    HASHED_TABLES.map(async (table) => {
      const all: object[] = await database.read.selectFrom(table).selectAll().execute()
      return all.map((row) => JSON.stringify({ ...row, last_used_at: null })).sort()
    }),
  )
  return hash('sha256', JSON.stringify(rows))
}

/** The number of rows of a table. */
export async function countRows({ database }: TestApp, table: keyof Tables): Promise<number> {
  return (await database.read.selectFrom(table).selectAll().execute()).length
}

/** The audited actions on this subject, in order. */
export async function listAuditActions({ database }: TestApp, subject: string): Promise<string[]> {
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

/** The content of all SQLite files: the database and its log. */
export async function databaseBytes(app: TestApp): Promise<Buffer> {
  const file = await databaseFile(app)
  const parts = [file, `${file}-wal`].filter((path) => existsSync(path))
  return Buffer.concat(parts.map((path) => readFileSync(path)))
}
