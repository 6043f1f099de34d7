import { waitUntilChained } from '../../../../test/test-context.ts'
import { SYSTEM_ACTOR } from '../../../platform/record/change.ts'
import { recordUse } from '../../../platform/record/record-store.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { AgentSessionResponse } from '../agent-session.ts'

const LONG_PATH = '/repos/analytical-engine/difference-engine-documentation/issues'

/** Records three requests of an agent with the first account of its session: one read, one write and one that was denied. */
export async function insertAgentCalls(
  t: { readonly database: Database },
  {
    agentSessionId,
    workspaceId,
    integrationAccountIds: [integrationAccountId],
  }: Pick<AgentSessionResponse, 'agentSessionId' | 'workspaceId' | 'integrationAccountIds'>,
): Promise<void> {
  await t.database.transaction((trx) =>
    trx
      .updateTable('agent_sessions')
      .set({ calls: 3, writes: 2 })
      .where('agent_session_id', '=', agentSessionId)
      .execute(),
  )
  const calls = [
    { method: 'GET', path: '/user', effect: 'allow', status: 200 },
    { method: 'POST', path: LONG_PATH, effect: 'allow', status: 201 },
    { method: 'DELETE', path: `${LONG_PATH}/{}`, effect: 'deny' },
  ]
  for (const call of calls)
    await recordUse(t.database, SYSTEM_ACTOR, Date.UTC(2026, 10, 20, 9, 41), {
      action: 'agent.called',
      workspaceId,
      subject: agentSessionId,
      detail: { integrationAccountId, host: 'api.github.com', ...call },
      outcome: 'status' in call ? 'done' : 'refused',
    })
  await waitUntilChained(t)
}
