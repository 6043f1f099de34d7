import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Database } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { describeOnBothDatabases } from '../postgres.ts'
import { fillDatabase } from './fill-database.ts'
import { createPostgresExplainer } from './postgres-plan.ts'
import { type QueryRecorder, recordQueries } from './record-queries.ts'
import { runQueries } from './run-queries.ts'
import { createSqliteExplainer } from './sqlite-plan.ts'

/**
 * Statements that may read more than they return: lists without pages, a list that merges two sources, tombstones with
 * a filter, a second filter, which applies to the rows of the first, the end of a window, for which PostgreSQL reads all
 * accounts of a definition if it takes them for few, sweeps, which delete all that they read, and the mark of all workspaces
 * that have pinned a definition.
 */
const EXCEPTIONS = [
  /"?deleted_at"? is not null and "?(?:account_identifier|link_id|definition_id|oauth_app_id)"? = /,
  /\("?(?:status|definition_id)"? \|\| ''\) = /,
  /^select created_at as "time", .* and "definition_id" = \S+ and "deleted_at" is null order by created_at .* offset/,
  /select \* from "workspaces" where "user_id" = \S+ and "deleted_at" is null(?:$|\) as found$)/,
  /^select \* from "tokens" where "user_id" = \S+ and "origin" not in \([^)]*\) and (?:"workspace_id" = \S+ and )?"revoked_at" is null order by/,
  // The workspaces of a person, which are few.
  /^select "workspace_id" from "workspaces" where "deleted_at" is null and not exists .* and "user_id" = /,
  /from "definitions" left join "definition_pins" (?!.*"definitions"."definition_id" = [?$]).* order by/,
  /^select distinct "type_key" as "key", "type_name" as "name" from "definitions"/,
  /from "oauth_apps" where "workspace_id" = \S+ and exists/,
  // The apps of a workspace, without those of customers.
  /^select \* from \(select \* from "oauth_apps" where "workspace_id" = \S+ and "account_identifier" is null union all/,
  // Tombstones have no tokens to refresh.
  /\("oauth_app_id" \|\| ''\) = .* "deleted_at" is not null/,
  /^select \* from "users" where "user_id" != \S+ order by "created_at", "user_id" limit/,
  // A slice for metrics, beside other reads, at most once in five minutes.
  /^select "workspace_id", "status", "created_at", "account_id" from "accounts" .* offset/,
  /^select "status", count\(\*\) as "count" from "accounts" .* group by "status"$/,
  // A search reads at most 50,000 entries of a workspace, beside other reads.
  /(?:strpos|instr)\(search_text, /,
  // The counts of a workspace, beside other reads, at most once in five seconds.
  /^select .* count\(\*\) as "count" from "accounts" where "workspace_id" = .* group by .*"status"$/,
  // An administrator looks at the keys of all workspaces, or at the migrations.
  /^select "key_id", count\(\*\) as "workspaces" from "workspace_keys" group by "key_id"/,
  /^select name, timestamp from kysely_migration order by name$/,
  /^insert into "definition_pins" .* inner join \(select workspace_id from oauth_apps where definition_id = \S+\)/,
  /^update "definition_pins" set "update_due" = \S+ where "definition_id" = /,
  /^delete from "\w+" where "(?:expires_at|lease_until)" <=? [^"]+$/,
  /^delete from "events" where "position" in /,
  /^select "state", count\(\*\) as "count" from "webhook_endpoints" .* group by "state"$/,
  // Workspaces between two data keys: none, except while an operator's command runs.
  /^select distinct "previous_key_id" from "workspace_keys" where "previous_key_id" is not null$/,
  // Endpoints with a replay, which are few; most of them can go on.
  /^select "endpoint_id" from "webhook_endpoints" where "queued" > 0 /,
  // Its key is (endpoint_id, sequence, …), but the table is empty here.
  /^update "delivery_failures" set "response" = /,
  /^update "tokens" set "revoked_at" = \S+, "name" = \S+ where "workspace_id" = \S+ and "revoked_at" is null$/,
  // Once for 100 sessions of an erased customer; submissions last hours.
  /^delete from "submissions" where "workspace_id" = \S+ and "connect_session_id" in /,
  // An operator's command.
  /^with recursive "family" as .* select distinct "user_id" from "tokens" /,
]

/** Statements that SQLite compiles each time, because they may use the index of one workspace, or of one outcome. */
const RARE = [
  /^select distinct "type_key" as "key", "type_name" as "name" from "definitions"/,
  /^select \* from "oauth_sessions" where "page_hash" = \? and "outcome" = \?/,
  /^update "definitions" set "deleted_at" = "updated_at"/,
  /^select \* from "deliveries" where "endpoint_id" = \? .* and "state" = \?/,
]

describeOnBothDatabases('SQL statements with 20,000 accounts', (newUrl) => {
  let folder: string
  let database: Database
  let explainer:
    | Awaited<ReturnType<typeof createPostgresExplainer>>
    | ReturnType<typeof createSqliteExplainer>
  let recorder: QueryRecorder
  let placeholder = '?'
  before(async () => {
    const url = await newUrl()
    folder = await mkdtemp(path.join(tmpdir(), 'linchpin-plans-'))
    const file = path.join(folder, 'linchpin.db')
    database = await openDatabase({ url, file })
    await database.migrate()
    const rows = await fillDatabase(database)
    // For its statistics, without which PostgreSQL takes seconds for some of the queries.
    if (url !== undefined) await (await createPostgresExplainer(url)).close()
    recorder = recordQueries(database)
    await runQueries(database, rows)
    recorder.stop()
    if (url !== undefined) placeholder = '$1'
    explainer = url === undefined ? createSqliteExplainer(file) : await createPostgresExplainer(url)
  })
  after(async () => {
    await explainer.close()
    await database.close()
    await rm(folder, { recursive: true })
  })

  it('are all known to this test', () => {
    assert.deepEqual(recorder.findUnusedCalls(), [], 'run them in run-queries.ts')
  })

  it('read only the rows that they return or change', async () => {
    const statements = [...recorder.statements].filter(
      (statement) =>
        /^\s*(?:select|with|update|delete) |^\s*insert .* select /s.test(statement) &&
        !EXCEPTIONS.some((pattern) => pattern.test(statement)),
    )
    const walks: string[] = []
    for (const statement of statements) {
      const walk = await explainer.findWalk(statement)
      if (walk !== undefined) walks.push(`${walk}: ${statement}`)
    }
    assert.deepEqual(walks, [])
    assert.ok(statements.length > 150, `${statements.length} statements`)
  })

  it('are compiled once on SQLite', (t) => {
    if (!('isCompiledEachTime' in explainer)) return t.skip('only on SQLite')
    const { isCompiledEachTime } = explainer
    const compiledEachTime = [...recorder.statements].filter(isCompiledEachTime)
    assert.deepEqual(
      compiledEachTime.filter((statement) => !RARE.some((pattern) => pattern.test(statement))),
      [],
    )
    assert.equal(isCompiledEachTime('select user_id from users limit ?'), true)
  })

  it('are reported if they have no index', async () => {
    const walk = await explainer.findWalk(
      `select account_id from accounts where workspace_id = ${placeholder} and name = 'a'`,
    )
    assert.match(walk ?? '', /accounts/)
  })
})
