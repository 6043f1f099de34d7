import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import type { ConnectAttempt } from '../../platform/record/attempt.ts'
import { insertAttempt } from '../../platform/record/record-store.ts'
import type { Id } from '../../platform/storage/id.ts'

describeOnBothDatabases('GET /v1/attempt/count', (newUrl) => {
  let t: TestContext
  let definitionId: Id<'def'>
  before(async () => {
    t = await testContext({ url: await newUrl() })
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Jira' })
    definitionId = integrationDefinitionId
    const rejected = { outcome: 'failed', code: 'credentials_rejected' } as const
    await add([{ outcome: 'connected' }, rejected, { ...rejected, code: 'invalid_credentials' }])
    await add([{ ...rejected, definitionId: null }, rejected, { outcome: 'cancelled' }])
  })
  after(() => t.close())

  let at = Date.now() - 60_000
  async function add(attempts: readonly Partial<ConnectAttempt>[]): Promise<void> {
    await t.database.transaction(async (trx) => {
      for (const attempt of attempts) {
        at += 1_000
        await insertAttempt(trx, { requestId: '' }, at, {
          workspaceId: t.workspaceId as Id<'wsp'>,
          definitionId,
          authType: 'Api Key',
          via: 'api',
          outcome: 'connected',
          code: null,
          providerStatus: null,
          accountId: null,
          linkId: null,
          connectSessionId: null,
          accountIdentifier: 'customer-1',
          ...attempt,
        })
      }
    })
  }

  const count = async (query = '', token = t.token) =>
    t.call('GET', `/v1/attempt/count?${query}`, { token })
  const groups = async (query: string) =>
    expectOk(await count(query)).groups.map(
      (group: { outcome: string; code: string | null; count: number }) =>
        `${group.count} ${group.code ?? group.outcome}`,
    )

  it('200 with the numbers by outcome, code and tool, the largest first; both names of a code are one group', async () => {
    const { total, groups: all } = expectOk(await count())
    assert.equal(total, 6)
    const [largest] = all
    assert.deepEqual(largest, {
      outcome: 'failed',
      code: 'credentials_rejected',
      integrationDefinitionId: definitionId,
      integrationDefinitionName: 'Jira',
      count: 3,
      lastAt: new Date(at - 1_000).toISOString(),
    })
    const unknown = all.find((group: typeof largest) => group.integrationDefinitionId === null)
    assert.deepEqual([unknown.count, unknown.integrationDefinitionName], [1, null])
  })

  it('200 with the newest `last` attempts only, and with the filters of the list', async () => {
    assert.deepEqual(await groups('last=2'), ['1 cancelled', '1 credentials_rejected'])
    assert.deepEqual(await groups('outcome=connected'), ['1 connected'])
    assert.deepEqual(await groups('code=credentials_rejected&last=10000'), [
      '3 credentials_rejected',
      '1 credentials_rejected',
    ])
    assert.deepEqual(await groups('accountIdentifier=customer-2'), [])
    assert.deepEqual(expectOk(await count('integrationDefinitionId=no-such-tool')), {
      total: 0,
      groups: [],
    })
  })

  it('400 for a wrong filter, 401 without a token, and nothing of another workspace', async () => {
    for (const query of ['last=0', 'last=10001', 'outcome=x', 'limit=1'])
      expectError(await count(query), 'invalid_parameter')
    expectError(await count('', 'lp_unknown'), 'token_invalid')
    const { token, workspaceId } = await t.otherUser()
    assert.equal(expectOk(await count('', token)).total, 0)
    expectError(await count(`workspaceId=${workspaceId}`), 'workspace_not_accessible')
  })

  itRequiresScope(() => t, 'GET', '/v1/attempt/count', { scope: 'read' })
})
