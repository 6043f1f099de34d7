import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  databaseBytes,
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  readAllText,
  testContext,
} from '../../../test/test-context.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { RevocationTestContext } from '../../connect/oauth-flow/test/revocation-test-context.ts'
import {
  getReturnParams,
  respondWithJson,
} from '../../connect/oauth-flow/test/stub-provider-context.ts'
import { resumeErasures } from './resume-erasures.ts'
import { createResumeDeps } from './test/resume-deps.ts'

describeOnBothDatabases('DELETE /v1/workspace/{workspaceId}', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: RevocationTestContext
  before(async () => {
    t = await testContext({ provider: { revocation: true }, url: await newUrl() })
  })
  after(() => t.close())

  const remove = (workspaceId: string, token = t.token) =>
    t.call('DELETE', `/v1/workspace/${workspaceId}`, { token })
  const createWorkspace = async (): Promise<WorkspaceId> =>
    expectCreated(await t.call('POST', '/v1/workspace', { body: {} })).workspaceId
  const fill = async (workspaceId: WorkspaceId) => {
    const definition = await t.createDefinition({ workspaceId })
    const body = {
      workspaceId,
      accountIdentifier: 'tenant-planted',
      integrationAccountName: 'Planted Name',
    }
    const account = await t.createAccount(definition.integrationDefinitionId, body)
    const link = expectCreated(
      await t.call('POST', '/v1/link', { body: { workspaceId, linkName: 'Planted Link' } }),
    )
    const token = await t.createToken({ workspaceId })
    return { definition, account, link, token }
  }

  it('DELETE /v1/workspace/{workspaceId}: 200; no request finds it or anything in it, and its tokens are invalid', async () => {
    const workspaceId = await createWorkspace()
    const { account, link, token, definition } = await fill(workspaceId)
    const deleted = expectOk(await remove(workspaceId))
    assert.deepEqual([deleted.workspaceId, deleted.status], [workspaceId, 'finished'])
    expectError(await remove(workspaceId), 'workspace_not_found')
    expectError(
      await t.call('POST', `/v1/workspace/${workspaceId}`, { body: {} }),
      'workspace_not_found',
    )
    expectError(await t.call('GET', `/v1/link/${link.linkId}`), 'link_not_found')
    expectError(
      await t.call('GET', `/v1/integration_account/${account.integrationAccountId}`),
      'integration_account_not_found',
    )
    expectError(
      await t.call('GET', `/v1/integration_definition/${definition.integrationDefinitionId}`),
      'integration_definition_not_found',
    )
    expectError(
      await t.call('GET', `/v1/event?workspaceId=${workspaceId}`),
      'workspace_not_accessible',
    )
    assert.equal((await t.call('GET', `!/link/${link.linkId}`)).status, 404)
    expectError(await t.call('GET', '/v1/link', { token }), 'token_invalid')
    const workspaces = expectOk(await t.call('GET', '/v1/workspace'))
    assert.ok(!workspaces.some((row: typeof deleted) => row.workspaceId === workspaceId))
    assert.deepEqual(await listAuditActions(t, workspaceId), [
      'workspace.created',
      'workspace.deleted',
      'workspace.erased',
    ])
  })

  it('DELETE /v1/workspace/{workspaceId}: leaves no data and no data key, and other workspaces unchanged', async () => {
    const workspaceId = await createWorkspace()
    const other = await fill(t.workspaceId)
    const { account } = await fill(workspaceId)
    const otherPath = `/v1/integration_account/${other.account.integrationAccountId}`
    const otherAccount = expectOk(await t.call('GET', otherPath))
    expectOk(await remove(workspaceId))
    assert.deepEqual(expectOk(await t.call('GET', otherPath)), otherAccount)
    expectOk(await t.call('GET', `${otherPath}/credentials`))
    const find = async (table: 'workspace_keys' | 'accounts' | 'links' | 'events') =>
      (
        await t.database.read
          .selectFrom(table)
          .select('workspace_id')
          .where('workspace_id', '=', workspaceId)
          .execute()
      ).length
    for (const table of ['workspace_keys', 'accounts', 'links', 'events'] as const)
      assert.equal(await find(table), 0, table)
    expectOk(await t.call('DELETE', otherPath))
    assert.ok((await readAllText(t)).includes(account.integrationAccountId), 'the audit trail')
  })

  it('DELETE /v1/workspace/{workspaceId}: the last workspace of a user can be deleted, and another one created', async () => {
    const user = await t.otherUser()
    expectOk(await remove(user.workspaceId, user.token))
    expectError(await t.call('GET', '/v1/link', { token: user.token }), 'workspace_not_accessible')
    assert.deepEqual(expectOk(await t.call('GET', '/v1/workspace', { token: user.token })), [])
    const { token } = user
    expectCreated(await t.call('POST', '/v1/workspace', { token, body: {} }))
    assert.deepEqual(expectOk(await t.call('GET', '/v1/link', { token })), [])
  })

  it('DELETE /v1/workspace/{workspaceId}: a token that is bound to it may delete it, and is then invalid', async () => {
    const workspaceId = await createWorkspace()
    const token = await t.createToken({ workspaceId, scopes: ['workspace:write', 'read'] })
    expectError(await remove(await createWorkspace(), token), 'workspace_not_found')
    expectOk(await remove(workspaceId, token))
    expectError(await t.call('GET', '/v1/link', { token }), 'token_invalid')
  })

  it('DELETE /v1/workspace/{workspaceId}: frees its slug', async () => {
    const slug = 'used-once'
    const create = async () =>
      expectCreated(await t.call('POST', '/v1/workspace', { body: { slug } })).workspaceId
    expectOk(await remove(await create()))
    await create()
  })

  it('DELETE /v1/workspace/{workspaceId}: a deletion that a killed process has left is continued in the background', async () => {
    const workspaceId = await createWorkspace()
    await fill(workspaceId)
    await t.database.transaction(async (trx) => {
      const deleted = { deleted_at: Date.now() }
      await trx
        .updateTable('workspaces')
        .set(deleted)
        .where('workspace_id', '=', workspaceId)
        .execute()
      await trx
        .insertInto('workspace_deletions')
        .values({
          workspace_id: workspaceId,
          alive_until: Date.now() - 1,
          created_at: Date.now(),
          finished_at: null,
        })
        .execute()
    })
    await resumeErasures(createResumeDeps(t), new AbortController().signal)
    for (const table of ['accounts', 'workspace_keys'] as const) {
      const rows = await t.database.read
        .selectFrom(table)
        .select('workspace_id')
        .where('workspace_id', '=', workspaceId)
        .execute()
      assert.deepEqual(rows, [], table)
    }
  })

  it('DELETE /v1/workspace/{workspaceId}: 404 for the workspace of another user, which stays', async () => {
    const user = await t.otherUser()
    expectError(await remove(user.workspaceId), 'workspace_not_found')
    assert.equal(expectOk(await t.call('GET', '/v1/workspace', { token: user.token })).length, 1)
  })

  it('DELETE /v1/workspace/{workspaceId}: 400 for an unknown query parameter', async () => {
    expectError(await remove(`${await createWorkspace()}?force=1`), 'invalid_parameter')
  })

  // Last, because the definition and the OAuth app belong to the first workspace.
  it('DELETE /v1/workspace/{workspaceId}: revokes the tokens of its accounts at the provider', async () => {
    const user = await t.otherUser()
    t.respondToToken = respondWithJson(200, {
      access_token: 'access-planted',
      refresh_token: 'refresh-planted',
      expires_in: 3600,
    })
    const id = getReturnParams(await t.completeFlow({})).integrationAccountId
    t.revoked.length = 0
    expectOk(await remove(t.workspaceId))
    assert.deepEqual(t.revoked, ['refresh-planted', 'access-planted'])
    expectError(
      await t.call('GET', `/v1/integration_account/${id}`),
      'integration_account_not_found',
    )
    const workspaces = expectOk(await t.call('GET', '/v1/workspace', { token: user.token }))
    assert.equal(workspaces.length, 1)
    if (t.database.dialect !== 'sqlite') return
    const bytes = await databaseBytes(t)
    for (const text of ['Planted Name', 'Planted Link', 'tenant-planted'])
      assert.ok(!bytes.includes(text), text)
  })

  itRequiresScope(() => t, 'DELETE', '/v1/workspace/wsp_0', { scope: 'workspace:write' })
}
