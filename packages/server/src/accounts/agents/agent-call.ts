import { EgressError, type EgressStream, RunnerError, type Spec } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import { maskPath } from '../../activity/requests/request-log.ts'
import type { StatisticsCounter } from '../../activity/statistics/statistics.ts'
import { ApiError } from '../../platform/errors.ts'
import { recordUse } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Account } from '../accounts/account.ts'
import type { AuthHeaders } from '../accounts/token-refresh/grant.ts'
import { decide, isRead } from './agent-policy.ts'
import { type AgentResponse, readAgentResponse } from './agent-response.ts'
import type { AgentSession } from './agent-session.ts'
import type { AgentSessionStore } from './agent-session-store.ts'

export interface AgentCallDeps {
  readonly database: Database
  readonly agentSessions: Pick<AgentSessionStore, 'findByToken' | 'spend'>
  readonly now: () => number
  /** Absent: nothing is counted. */
  readonly statistics?: StatisticsCounter | undefined
}

/** What an agent is about to send to the provider. */
export interface OutgoingAgentRequest {
  readonly account: Pick<Account, 'accountId' | 'definitionId'>
  readonly spec: Spec
  readonly outgoing: { readonly method: string; readonly rawHeaders: readonly string[] }
  /** Its URL is normalized; `requestTarget` is what is sent. */
  readonly target: { readonly url: string; readonly requestTarget: string }
  readonly body: unknown
}

/** A response of the provider, and the headers that it was requested with. */
interface Observed {
  readonly response: EgressStream
  readonly auth: AuthHeaders
}

/** One request of an agent. */
export interface AgentCall {
  /** Of the bodies of the request and the response. */
  readonly maxBytes: number
  /**
   * Takes the request from the budget of the session and holds it against its rules: call it when all that is sent is known, before it
   * is sent.
   *
   * @throws ApiError `agent_budget_spent`, `rate_limited`, `agent_rule_denied`
   */
  authorize(request: OutgoingAgentRequest): Promise<void>
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
  const session = await deps.agentSessions.findByToken(caller.tokenId)
  if (session === undefined)
    throw new ApiError('token_invalid', 'The session of this token does not exist any more.')
  const startedAt = performance.now()
  let request: OutgoingAgentRequest | undefined
  const note = (detail: CallDetail) =>
    recordUse(deps.database, caller, deps.now(), {
      action: 'agent.called',
      workspaceId: session.workspaceId,
      subject: session.agentSessionId,
      detail: {
        ...(request && describeRequest(request)),
        ms: Math.round(performance.now() - startedAt),
        ...detail,
      },
      outcome: detail.effect === 'deny' ? 'refused' : 'done',
    })
  return {
    maxBytes: session.maxBytes,

    async authorize(outgoing) {
      request = outgoing
      await spend(deps, session, !isRead(outgoing.outgoing.method))
      const decision = decide(session.rules, toAgentRequest(outgoing))
      const { definitionId } = outgoing.account
      const { workspaceId } = session
      deps.statistics?.add({
        workspaceId,
        definitionId,
        metric: 'agent_calls',
        code: decision.effect,
      })
      if (decision.effect === 'allow') return
      await note({ effect: 'deny' })
      throw new ApiError('agent_rule_denied', decision.reason)
    },

    async observe(auth, send) {
      try {
        const { response, auth: lastAuth } = await send()
        const seen = await readAgentResponse(response, [auth, lastAuth], session.maxBytes)
        await note({ effect: 'allow', status: seen.status, bytes: seen.body.length })
        return seen
      } catch (error) {
        await note({ effect: 'allow', status: null, code: getCode(error) })
        throw error
      }
    },
  }
}

function getCode(error: unknown): string {
  if (error instanceof ApiError || error instanceof RunnerError) return error.code
  return error instanceof EgressError ? 'provider_error' : 'internal_error'
}

/** What became of a request. */
interface CallDetail {
  readonly effect: 'allow' | 'deny'
  readonly status?: number | null
  readonly bytes?: number
  readonly code?: string
}

/** @throws ApiError `agent_budget_spent`, `rate_limited` */
async function spend(
  { agentSessions, now }: AgentCallDeps,
  session: AgentSession,
  isWrite: boolean,
): Promise<void> {
  const time = now()
  if (await agentSessions.spend(session.agentSessionId, { isWrite, now: time })) return
  // As it is now, after the requests of other nodes.
  const current = (await agentSessions.findByToken(session.tokenId)) ?? session
  const { calls, maxCalls, writes, maxWrites, callsPerMinute } = current
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

function toAgentRequest({ account, spec, outgoing, target, body }: OutgoingAgentRequest) {
  return {
    method: outgoing.method,
    host: new URL(target.url).hostname,
    requestTarget: target.requestTarget,
    rawHeaders: outgoing.rawHeaders,
    body: body instanceof Uint8Array ? body : undefined,
    definitionId: account.definitionId,
    getMayWrite: spec['x-get-may-write'] === true,
  }
}

/** What the audit trail has of a request: neither its query nor identifiers in its path. */
function describeRequest({ account, outgoing, target }: OutgoingAgentRequest) {
  const { host, pathname } = new URL(target.url)
  return {
    integrationAccountId: account.accountId,
    method: outgoing.method,
    host,
    path: maskPath(pathname).replaceAll('•', '{}'),
  }
}
