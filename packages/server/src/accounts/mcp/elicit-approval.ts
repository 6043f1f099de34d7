import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ElicitRequestURLParams, InputRequiredResult } from '@modelcontextprotocol/server'
import type { Caller } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import { VaultError } from '../../platform/vault/sealed-box.ts'
import type { Vault, WorkspaceSealContext } from '../../platform/vault/vault.ts'
import { type AgentApprovalId, getApprovalStatus } from '../agents/agent-approval.ts'
import { settleApproval } from '../agents/agent-approval-operations.ts'
import type { AgentApprovalStore } from '../agents/agent-approval-store.ts'
import type { ToolCall } from './tool.ts'
import { createFailure, type ToolResult } from './tools.ts'

export interface ElicitApprovalDeps {
  readonly database: Pick<Database, 'read' | 'transaction'>
  readonly agentApprovals: AgentApprovalStore
  readonly vault: Pick<Vault, 'seal' | 'openText'>
  readonly now: () => number
  /** How long a repeated call waits for a decision, in milliseconds. Default: 25 s. Set by tests only. */
  readonly approvalWaitMs?: number | undefined
}

/** A call of a tool by a client that can show a person a URL, and repeats the call afterwards. */
export interface ElicitingCall extends ToolCall {
  readonly name: string
  readonly input: unknown
  /** Called before the call waits for a person. */
  readonly onWait: () => void
  /** What the client returns of an earlier result; undefined at first. */
  readonly state: string | undefined
  /** Whether the person did not want to open the URL. */
  readonly isDeclined: boolean
}

/** The client returned a state that is not of this call, or has expired. */
export class InvalidStateError extends Error {}

const WAIT_MS = 25_000
const POLL_MS = 1_000
/** After as many, the model has to call again itself. */
const MAX_ROUNDS = 3
const LIFETIME_MS = 10 * 60_000

/**
 * Runs a tool, and has the client show the page on which a person approves the request, if it needs that. What the client says of it
 * decides nothing: the repeated call is sent only if the stored approval allows it.
 *
 * @throws InvalidStateError
 */
export async function elicitApproval(
  deps: ElicitApprovalDeps,
  call: ElicitingCall,
  run: () => Promise<ToolResult | undefined>,
): Promise<ToolResult | InputRequiredResult | undefined> {
  const state = call.state === undefined ? undefined : await openState(deps, call, call.state)
  if (state !== undefined) {
    if (call.isDeclined) {
      await withdraw(deps, call, state.approvalId)
      return createFailure({ code: 'approval_denied', message: DECLINED })
    }
    await waitForDecision(deps, call, state.approvalId)
  }
  const result = await run()
  const { code, approvalId, url } = result?.structuredContent ?? {}
  const round = (state?.round ?? 0) + 1
  if (code !== 'approval_required' || !isApprovalId(approvalId) || typeof url !== 'string')
    return result
  if (round > MAX_ROUNDS) return result
  // Of this revision, which has no `elicitationId`: the type is that of all revisions.
  const params = { mode: 'url', message: MESSAGE, url } as ElicitRequestURLParams
  return {
    resultType: 'input_required',
    inputRequests: { approval: { method: 'elicitation/create', params } },
    requestState: await sealState(deps, call, { approvalId, round }),
  }
}

const MESSAGE = 'A request has to be approved. Open the page to see and to decide it.'
const DECLINED = 'The page of the approval was not opened. Do not send this request again.'

function isApprovalId(value: unknown): value is AgentApprovalId {
  return typeof value === 'string' && isId('aap', value)
}

/** The person does not want to decide it: then no one does. An approval that was decided stays so. */
async function withdraw(
  { database, agentApprovals, now }: ElicitApprovalDeps,
  { caller }: ElicitingCall,
  agentApprovalId: AgentApprovalId,
): Promise<void> {
  await database.transaction(async (trx) => {
    const approval = await agentApprovals.find(trx, caller, agentApprovalId)
    if (approval === undefined || getApprovalStatus(approval, now()) !== 'pending') return
    const decision = { approval, decision: 'deny', decidedBy: 'agent' } as const
    await settleApproval({ agentApprovals, now }, trx, caller, decision)
  })
}

/** Waits until the approval is decided or has expired, for a while. */
async function waitForDecision(
  { database, agentApprovals, approvalWaitMs = WAIT_MS }: ElicitApprovalDeps,
  { caller, signal, onWait }: ElicitingCall,
  approvalId: AgentApprovalId,
): Promise<void> {
  const deadline = performance.now() + approvalWaitMs
  onWait()
  while (performance.now() < deadline && !signal.aborted) {
    const approval = await agentApprovals.find(database.read, caller, approvalId)
    if (approval?.status !== 'pending') return
    await sleep(Math.min(POLL_MS, approvalWaitMs), undefined, { signal }).catch(() => {})
  }
}

interface CallState {
  readonly approvalId: AgentApprovalId
  /** How many results have named the URL. */
  readonly round: number
}

interface SealedState extends CallState {
  readonly digest: string
  readonly expiresAt: number
}

async function sealState(
  { vault, now }: ElicitApprovalDeps,
  call: ElicitingCall,
  state: CallState,
): Promise<string> {
  const content = { ...state, digest: digestCall(call), expiresAt: now() + LIFETIME_MS }
  const sealed = await vault.seal(getContext(call.caller), JSON.stringify(content))
  return Buffer.from(sealed).toString('base64url')
}

/** @throws InvalidStateError */
async function openState(
  { vault, now }: ElicitApprovalDeps,
  call: ElicitingCall,
  text: string,
): Promise<CallState> {
  try {
    const json = await vault.openText(getContext(call.caller), Buffer.from(text, 'base64url'))
    const state = JSON.parse(json) as SealedState
    if (state.digest === digestCall(call) && state.expiresAt > now()) return state
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
  }
  throw new InvalidStateError('The requestState is not of this call, or has expired.')
}

function digestCall({ name, input }: ElicitingCall): string {
  return hash('sha256', JSON.stringify([name, input]), 'base64url')
}

/** Of a value that is never stored: it belongs to the token of the session. */
function getContext({ boundWorkspaceId, tokenId }: Caller): WorkspaceSealContext {
  return {
    table: 'agent_approvals',
    column: 'request_state',
    // Sessions have a workspace.
    workspaceId: boundWorkspaceId as WorkspaceId,
    rowId: tokenId,
  }
}
