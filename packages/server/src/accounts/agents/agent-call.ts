import { EgressError, RunnerError } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import type { StatisticsCounter } from '../../activity/statistics/statistics.ts'
import { ApiError, insufficientScope } from '../../platform/errors.ts'
import { recordUse } from '../../platform/record/record-store.ts'
import type { AuthHeaders } from '../accounts/token-refresh/grant.ts'
import type { AgentApprovalId } from './agent-approval.ts'
import { type Decision, decide, isRead, mayWrite } from './agent-policy.ts'
import { type AgentResponse, type ProviderResponse, readAgentResponse } from './agent-response.ts'
import type { AgentSession } from './agent-session.ts'
import { type AgentSessionStore, requireOwnSession } from './agent-session-store.ts'
import {
  askForApproval,
  describeTarget,
  findApproval,
  hashRequest,
  isPresented,
  type RequestApprovalDeps,
  type RequestToApprove,
} from './request-approval.ts'

export interface AgentCallDeps extends RequestApprovalDeps {
  readonly agentSessions: Pick<AgentSessionStore, 'findByToken' | 'spend'>
  /** Absent: nothing is counted. */
  readonly statistics?: StatisticsCounter | undefined
}

/** What an agent is about to send to the provider, with what its rules may have to know. */
export interface OutgoingAgentRequest extends RequestToApprove {
  /** The headers of the agent, of which some are not forwarded, as a flat list of names and values. */
  readonly received: readonly string[]
  /** The approval that the agent presents: its ID, or `matching` for any of this request. */
  readonly approval: string | undefined
  /** The name of the tool that the request calls at an MCP server. */
  readonly tool?: string | undefined
}

/** A response of the provider, and the headers that it was requested with. */
interface Observed {
  readonly response: ProviderResponse
  readonly auth: AuthHeaders
}

/** One request of an agent. */
export interface AgentCall {
  /** Of the bodies of the request and the response. */
  readonly maxBytes: number
  /**
   * Takes the request from the budget of the session and holds it against its rules: call it when all that is sent is known, before it
   * is sent. `prepare` runs before anything is taken, unless a rule denies the request or nothing is left; if it fails, that costs a
   * request.
   *
   * @throws ApiError `token_invalid`, `agent_budget_spent`, `rate_limited`, `agent_rule_denied`, `approval_required`, `approval_denied`,
   * `approval_limit`, and those of `prepare`
   */
  authorize(request: OutgoingAgentRequest, prepare?: () => Promise<void>): Promise<void>
  /**
   * Sends an authorized request and returns what the agent gets to see of the response. The audit trail has it before the agent, and
   * also if there is no response. `auth`: what the request is sent with first.
   */
  observe(auth: AuthHeaders, send: () => Promise<Observed>): Promise<AgentResponse>
}

/**
 * A request with the token of an agent session.
 *
 * @throws ApiError `token_invalid`: the session has been deleted meanwhile
 */
export async function beginAgentCall(deps: AgentCallDeps, caller: Caller): Promise<AgentCall> {
  const session = await requireOwnSession(deps, caller)
  const startedAt = performance.now()
  let request: OutgoingAgentRequest | undefined
  let approval: AgentApprovalId | undefined
  const note = (detail: CallDetail) =>
    recordUse(deps.database, caller, deps.now(), {
      action: 'agent.called',
      workspaceId: session.workspaceId,
      subject: session.agentSessionId,
      detail: {
        ...(request && {
          integrationAccountId: request.auth.row.accountId,
          ...describeTarget(request),
          ...(request.tool !== undefined && { tool: request.tool }),
        }),
        ms: Math.round(performance.now() - startedAt),
        ...(approval && { agentApprovalId: approval }),
        ...detail,
      },
      outcome: 'status' in detail ? 'done' : 'refused',
    })
  return {
    maxBytes: session.maxBytes,

    async authorize(outgoing, prepare = async () => {}) {
      request = outgoing
      const agentRequest = toAgentRequest(outgoing)
      if (caller.isReadOnly && mayWrite(agentRequest)) throw insufficientScope('write')
      const decision = decide(session.rules, agentRequest)
      const { effect } = decision
      const { workspaceId, definitionId } = outgoing.auth.row
      deps.statistics?.add({ workspaceId, definitionId, metric: 'agent_calls', code: effect })
      if (isSpent(session, deps.now())) await spend(deps, session, false)
      if (effect !== 'deny')
        await prepare().catch(async (error) => {
          await spend(deps, session, false)
          await note({ effect, code: getCode(error) })
          throw error
        })
      try {
        if (effect === 'approve') approval = await takeApproval(deps, caller, session, outgoing)
        else await spend(deps, session, !isRead(outgoing.method))
      } catch (error) {
        if (isApprovalError(error)) await note({ effect, code: error.code })
        throw error
      }
      if (effect !== 'deny') return
      await note({ effect })
      throw new ApiError('agent_rule_denied', decision.reason)
    },

    async observe(auth, send) {
      const effect = approval === undefined ? 'allow' : 'approve'
      try {
        const { response, auth: lastAuth } = await send()
        const seen = await readAgentResponse(response, [auth, lastAuth], session.maxBytes)
        await note({ effect, status: seen.status, bytes: seen.body.length })
        return seen
      } catch (error) {
        await note({ effect, status: null, code: getCode(error) })
        throw error
      }
    },
  }
}

/** What keeps a request from being sent until a person decides. */
function isApprovalError(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code.startsWith('approval_')
}

/**
 * Takes the request and its approval, which is used with that, from what the session has left. What is not approved costs a request, but
 * no write.
 *
 * @throws ApiError `approval_required`, `approval_denied`, `approval_limit`, `agent_budget_spent`, `rate_limited`
 */
async function takeApproval(
  deps: AgentCallDeps,
  caller: Caller,
  session: AgentSession,
  request: OutgoingAgentRequest,
): Promise<AgentApprovalId> {
  const { agentSessionId } = session
  const subject = { agentSessionId, requestHash: hashRequest(deps, session, request) }
  const found = await findApproval(deps, subject, request.approval)
  const isApproved = found?.status === 'approved' && isPresented(found, request.approval)
  await spend(deps, session, isApproved && !isRead(request.method))
  if (isApproved && (await deps.agentApprovals.use(found.agentApprovalId, subject, deps.now())))
    return found.agentApprovalId
  if (found?.status === 'denied')
    throw new ApiError(
      'approval_denied',
      'A person has not approved this request. Do not send it again.',
    )
  throw await askForApproval(deps, caller, session, request, subject.requestHash)
}

function getCode(error: unknown): string {
  if (error instanceof ApiError || error instanceof RunnerError) return error.code
  return error instanceof EgressError ? 'provider_error' : 'internal_error'
}

/** What became of a request. */
interface CallDetail {
  readonly effect: Decision['effect']
  /** Absent if it was not sent; null without a response. */
  readonly status?: number | null
  readonly bytes?: number
  readonly code?: string
}

/** Whether the session had no request left when it was read. */
function isSpent(
  { calls, maxCalls, minute, minuteCalls, callsPerMinute }: AgentSession,
  now: number,
): boolean {
  const isThisMinute = minute === Math.floor(now / 60_000)
  return calls >= maxCalls || (isThisMinute && minuteCalls >= callsPerMinute)
}

/** Takes a request from the budget of a session. @throws ApiError `token_invalid`, `agent_budget_spent`, `rate_limited` */
export async function spend(
  { agentSessions, now }: Pick<AgentCallDeps, 'agentSessions' | 'now'>,
  session: AgentSession,
  isWrite: boolean,
): Promise<void> {
  const time = now()
  if (await agentSessions.spend(session.agentSessionId, { isWrite, now: time })) return
  // As it is now, after the requests of other nodes.
  const current = (await agentSessions.findByToken(session.tokenId)) ?? session
  const { calls, maxCalls, writes, maxWrites, callsPerMinute } = current
  if (current.revokedAt !== null || current.expiresAt <= time)
    throw new ApiError('token_invalid', 'The session of this token has ended.')
  if (calls >= maxCalls)
    throw new ApiError(
      'agent_budget_spent',
      `The agent session has used all of its ${maxCalls} requests.`,
    )
  if (isWrite && writes >= maxWrites)
    throw new ApiError(
      'agent_budget_spent',
      `The agent session has used all of its ${maxWrites} requests that may write.`,
    )
  const seconds = Math.ceil((60_000 - (time % 60_000)) / 1_000)
  throw new ApiError(
    'rate_limited',
    `The agent session has sent ${callsPerMinute} requests in this minute. Try again after Retry-After.`,
    { headers: { 'retry-after': String(seconds) } },
  )
}

function toAgentRequest({
  auth,
  method,
  url,
  requestTarget,
  received,
  body,
  tool,
}: OutgoingAgentRequest) {
  return {
    method,
    host: new URL(url).hostname,
    requestTarget,
    rawHeaders: received,
    body,
    definitionId: auth.row.definitionId,
    agentAccess: auth.row.agentAccess,
    isMcpServer: auth.row.resource !== null,
    tool,
    getMayWrite: auth.grant.spec['x-get-may-write'] === true,
  }
}
