import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { hashSecret } from '../src/access/auth/access-token.ts'
import { createAuditChainStore } from '../src/activity/audit/audit-chain-store.ts'
import { selectAuditEntries } from '../src/platform/storage/audit-inbox.ts'
import type { Tables, TokenRow } from '../src/platform/storage/tables.ts'
import type { TestApp } from './test-app.ts'

const HASHED_TABLES: readonly (keyof Tables)[] = [
  'users',
  'workspaces',
  'tokens',
  'bundles',
  'definitions',
  'accounts',
  'account_tokens',
  'account_scopes',
  'account_changes',
  'events',
  'links',
  'oauth_apps',
  'oauth_sessions',
  'workspace_keys',
  'key_checks',
]

/** A hash over all tables except the audit trail, without `last_used_at`. */
export async function hashAllTables({ database }: TestApp): Promise<string> {
  // Events get their sequence numbers after the commit.
  const findUnnumbered = () =>
    database.read.selectFrom('events').select('event_id').where('sequence', 'is', null).execute()
  while ((await findUnnumbered()).length > 0) await sleep(10)
  const rows = await Promise.all(
    HASHED_TABLES.map(async (table) => {
      const all: object[] = await database.read.selectFrom(table).selectAll().execute()
      return all
        .filter((row) => !('action' in row) || row.action !== 'request.refused')
        .map((row) => JSON.stringify({ ...row, last_used_at: null }))
        .sort()
    }),
  )
  return hash('sha256', JSON.stringify(rows))
}

/** The number of rows of a table. */
export async function countRows({ database }: TestApp, table: keyof Tables): Promise<number> {
  return (await database.read.selectFrom(table).selectAll().execute()).length
}

/** Resolves when every entry of the audit trail is chained, so that requests can list it. */
export async function waitUntilChained({ database }: Pick<TestApp, 'database'>): Promise<void> {
  while ((await createAuditChainStore(database).listUnchained(1)).length > 0) await sleep(20)
}

/** The audited actions on this subject, in order. */
export async function listAuditActions({ database }: TestApp, subject: string): Promise<string[]> {
  const rows = await selectAuditEntries(database.read)
    .select('action')
    .where('subject', '=', subject)
    .orderBy('at')
    .orderBy('event_id')
    .execute()
  return rows.map(({ action }) => action)
}

/** The row of a token. @throws NoResultError */
export async function findTokenRow({ database }: TestApp, token: string): Promise<TokenRow> {
  return await database.read
    .selectFrom('tokens')
    .selectAll()
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirstOrThrow()
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

/** Every value of every table, as text. */
export async function readAllText({ database }: TestApp): Promise<string> {
  const parts: string[] = []
  for (const { name } of await database.read.introspection.getTables()) {
    const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(database.read)
    parts.push(JSON.stringify(rows))
  }
  return parts.join('\n')
}
