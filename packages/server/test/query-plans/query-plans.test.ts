import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createRefreshStore } from '../../src/accounts/token-refresh/refresh-store.ts'
import { createConfirmationStore } from '../../src/oauth-flow/confirmation-store.ts'
import { describeOnBothDatabases } from '../postgres.ts'
import { expectOk, startTestContext, type TestContext } from '../test-context.ts'
import { fillDatabase } from './fill-database.ts'
import { createPostgresExplainer } from './postgres-plan.ts'
import { recordStatements } from './record-statements.ts'
import { createSqliteExplainer } from './sqlite-plan.ts'

/**
 * Statements that may read more than they return: lists without pages, a list that merges two sources, tombstones with
 * a filter, and a second filter, which applies to the rows of the first.
 */
const EXCEPTIONS = [
  /"?deleted_at"? is not null and "?(?:account_identifier|link_id|definition_id)"? = /,
  /\("?(?:status|definition_id)"? \|\| ''\) = /,
  /^select \* from "?workspaces"? where "?user_id"? = /,
  /^select \* from "?tokens"? where "?user_id"? = /,
  /from "?definitions"? left join "?definition_pins"? .* order by/,
  /from "?oauth_apps"? where "?workspace_id"? = /,
]

describeOnBothDatabases('SQL statements with 20,000 accounts', (newUrl) => {
  let t: TestContext
  let url: string | undefined
  let recorder: ReturnType<typeof recordStatements>
  before(async () => {
    url = await newUrl()
    t = await startTestContext({ url })
    const { userId } = expectOk(await t.call('GET', '/v1/user'))
    await fillDatabase(t.database, { userId, workspaceId: t.workspaceId })
    recorder = recordStatements()
  })
  after(async () => {
    recorder.stop()
    await t.close()
  })

  const get = async (path: string) => expectOk(await t.call('GET', path))
  const createExplainer = async () => {
    if (url !== undefined) return createPostgresExplainer(url)
    const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(
      t.database.read,
    )
    return createSqliteExplainer(rows[0]?.file ?? '')
  }

  it('read only the rows that a request needs', async () => {
    await requestEverything()
    recorder.stop()
    const explainer = await createExplainer()
    const walks: string[] = []
    let count = 0
    for (const statement of recorder.statements) {
      if (!/^(?:select|with|update|delete) /.test(statement) || /pragma_/.test(statement)) continue
      if (EXCEPTIONS.some((pattern) => pattern.test(statement))) continue
      count += 1
      const walk = await explainer.findWalk(statement)
      if (walk !== undefined) walks.push(`${walk}: ${statement}`)
    }
    await explainer.close()
    assert.deepEqual(walks, [])
    assert.ok(count > 25, `${count} statements`)
  })

  it('are found to walk if they have no index', async () => {
    const explainer = await createExplainer()
    const placeholder = url === undefined ? '?' : '$1'
    const walk = await explainer.findWalk(
      `select account_id from accounts where workspace_id = ${placeholder} and name = 'a'`,
    )
    await explainer.close()
    assert.match(walk ?? '', /accounts/)
  })

  async function requestEverything(): Promise<void> {
    const list = '/v1/integration_account'
    const page = await t.call('GET', `${list}?limit=25`)
    const [account] = expectOk(page)
    const [, cursor = ''] = /[?&]cursor=([^&>]+)/.exec(String(page.headers.link)) ?? []
    await get(`${list}?limit=25&cursor=${cursor}`)
    const { integrationDefinitionId: definitionId, integrationAccountId } = account
    const links = await get('/v1/link?limit=25')
    const { linkId } = links[0]
    const filters = [
      'accountIdentifier=customer-4',
      `linkId=${linkId}`,
      `integrationDefinitionId=${definitionId}`,
      ...['active', 'pending', 'needs_reauth', 'error', 'deleted'].map((each) => `status=${each}`),
    ]
    for (const one of filters)
      for (const other of filters)
        if (one < other && !(one.startsWith('status') && other.startsWith('status')))
          await get(`${list}?limit=25&${one}&${other}`)
    for (const filter of filters) await get(`${list}?limit=25&${filter}`)
    await get(`${list}?limit=25&includeDeleted=true`)
    await get(`${list}/${integrationAccountId}`)
    await get(`/v1/link/${linkId}`)
    await get(`/v1/link/${linkId}?accountIdentifier=customer-4`)
    for (const path of ['/v1/integration_definition?limit=25', '/v1/user/token', '/v1/workspace'])
      await get(path)
    await get(`/v1/integration_definition/${definitionId}`)
    await get('/v1/integration_oauth?limit=25')
    const { integrationDefinitionId } = await t.createDefinition()
    const created = await t.createAccount(String(integrationDefinitionId))
    expectOk(await t.call('DELETE', `${list}/${created.integrationAccountId}`))
    expectOk(await t.call('DELETE', `/v1/integration_definition/${integrationDefinitionId}`))
    const now = Date.now()
    await createConfirmationStore(t.database).findOverdueAccounts(t.database.read, now, 10)
    await createConfirmationStore(t.database).findOverdueReconnects(now, 10)
    await createRefreshStore(t.database, Date.now).findDue(10)
  }
})
