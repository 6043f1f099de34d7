import { TEST_KEYS } from '../../../../test/test-app.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { newId } from '../../../platform/storage/id.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import {
  AGENT_APPROVAL,
  type AgentApproval,
  type AgentApprovalId,
  type ApprovedRequest,
  createApprovalContext,
} from '../agent-approval.ts'
import { createAgentApprovalStore } from '../agent-approval-store.ts'

/** Stores an approval that can be decided, whatever the rules of its session are. */
export async function insertApproval(
  { database }: { readonly database: Database },
  { workspaceId, ...fields }: { readonly workspaceId: string } & Partial<AgentApproval>,
): Promise<AgentApprovalId> {
  const now = Date.now()
  const approval = {
    ...AGENT_APPROVAL.fromRow(AGENT_APPROVAL.sampleRow),
    agentApprovalId: newId('aap', now),
    workspaceId: workspaceId as WorkspaceId,
    createdAt: now,
    expiresAt: now + 600_000,
    ...fields,
  }
  const vault = createVault({ database, keys: parseKeys(TEST_KEYS), now: Date.now })
  const sealedRequest = await vault.seal(createApprovalContext(approval), JSON.stringify(REQUEST))
  await database.transaction((trx) =>
    createAgentApprovalStore(database).insert(trx, { ...approval, sealedRequest }),
  )
  return approval.agentApprovalId
}

const REQUEST: ApprovedRequest = {
  url: 'https://api.example.com/v2/notes/41',
  headers: [],
  body: '{"text":"Call back"}',
  bytes: 20,
  sha256: null,
}
