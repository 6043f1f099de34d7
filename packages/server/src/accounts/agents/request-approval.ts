import { createHash, createHmac } from 'node:crypto'
import type { Caller } from '../../access/auth/caller.ts'
import { decodeText } from '../../activity/requests/debug-exchange.ts'
import { maskPath } from '../../activity/requests/request-log.ts'
import { ApiError, type FieldErrors } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { AuthHeaders } from '../accounts/token-refresh/grant.ts'
import {
  AGENT_APPROVAL,
  type AgentApproval,
  type ApprovedRequest,
  createApprovalContext,
  serializeAgentApproval,
} from './agent-approval.ts'
import type { AgentApprovalStore, ApprovalSubject } from './agent-approval-store.ts'
import { listSecretsOf } from './agent-response.ts'
import type { AgentSession } from './agent-session.ts'
import { ensureSignInRequest } from './ensure-sign-in-request.ts'
import { createSecretSearch } from './secret-search.ts'
import { buildSignInUrl, type SignInRequestId } from './sign-in-request.ts'
import type { SignInRequestStore } from './sign-in-request-store.ts'

export interface RequestApprovalDeps {
  readonly database: Database
  readonly vault: Pick<Vault, 'deriveKey' | 'seal'>
  readonly agentApprovals: AgentApprovalStore
  readonly signInRequests: Pick<SignInRequestStore, 'findLast' | 'insert'>
  readonly baseUrl: () => string
  readonly now: () => number
}

/** A request of an agent that a person has to approve. */
export interface RequestToApprove {
  readonly auth: AuthHeaders
  readonly method: string
  /** Normalized; `requestTarget` is what is sent. */
  readonly url: string
  readonly requestTarget: string
  /** Those that are forwarded, by their names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array | undefined
}

/** How long an approval can be decided and used. */
const LIFETIME_MS = 10 * 60_000
/** Of a workspace; and of one session, or of all that the clients of a customer have, which cannot keep the others from asking. */
const MAX_PENDING = 1_000
const MAX_PENDING_OF_SESSION = 100

/**
 * The approval of a request: the one that the agent presents, if it was given, otherwise the last one that it requested. Undefined:
 * none has been, or it has expired or been used.
 */
export async function findApproval(
  {
    database,
    agentApprovals,
    now,
  }: Pick<RequestApprovalDeps, 'database' | 'agentApprovals' | 'now'>,
  subject: ApprovalSubject,
  presented: string | undefined,
): Promise<AgentApproval | undefined> {
  const open = await agentApprovals.listOpen(database.read, subject, now())
  const given = open.find((each) => each.status === 'approved' && isPresented(each, presented))
  return given ?? open[0]
}

/** Whether an agent presents the approval, by its ID or with `matching`. */
export function isPresented(
  { agentApprovalId }: AgentApproval,
  presented: string | undefined,
): boolean {
  return presented === MATCHING_APPROVAL || presented === agentApprovalId
}

/** Presents whatever approval a request has: for clients that cannot send its ID. */
export const MATCHING_APPROVAL = 'matching'

/**
 * Asks for the approval of a request with this hash, unless the agent has asked already, and returns the error that says so.
 *
 * @throws ApiError `approval_limit`
 */
export async function askForApproval(
  deps: RequestApprovalDeps,
  caller: Caller,
  session: AgentSession,
  request: RequestToApprove,
  requestHash: Uint8Array,
): Promise<ApiError> {
  const { database, vault, agentApprovals } = deps
  const now = deps.now()
  const asked = buildApproval(session, request, requestHash, now)
  const sealedRequest = await vault.seal(
    createApprovalContext(asked),
    JSON.stringify(describeRequest(request, session.maxBytes)),
  )
  const { approval, page } = await database.transaction(
    async (trx) => {
      const [open] = await agentApprovals.listOpen(trx, asked, now)
      const approval = open ?? { ...asked, sealedRequest }
      const page = await ensurePage(deps, trx, session, approval)
      if (open !== undefined) return { approval, page }
      await assertBelowLimit(deps, trx, session, now)
      await agentApprovals.insert(trx, approval)
      await record(trx, caller, now, {
        action: 'agent.approval_requested',
        workspaceId: session.workspaceId,
        subject: approval.agentApprovalId,
        detail: { agentSessionId: session.agentSessionId, method: approval.method },
        event: {
          type: 'agent.approval_requested',
          subject: approval.agentApprovalId,
          accountIdentifier: request.auth.row.accountIdentifier,
          data: { agentApproval: serializeAgentApproval(approval, now) },
        },
      })
      return { approval, page }
    },
    { serializable: true },
  )
  return createApprovalRequired(approval, page && buildSignInUrl(deps.baseUrl(), page))
}

/** The page on which the customer decides; undefined if only the product does, or it is decided. */
async function ensurePage(
  deps: RequestApprovalDeps,
  trx: Transaction,
  session: AgentSession,
  { agentApprovalId, status, expiresAt }: AgentApproval,
): Promise<SignInRequestId | undefined> {
  const { approver, accountIdentifier: expectedIdentifier } = session
  if (approver === 'backend' || expectedIdentifier === null || status !== 'pending')
    return undefined
  const page = {
    purpose: 'approval',
    subject: agentApprovalId,
    expectedIdentifier,
    expiresAt,
  } as const
  return (await ensureSignInRequest(deps, trx, session, page)).signInRequestId
}

/** What is recorded of a request: neither its query nor identifiers in its path. */
export function describeTarget({
  auth,
  method,
  url,
}: Pick<RequestToApprove, 'auth' | 'method' | 'url'>) {
  const { host, pathname } = new URL(url)
  // Some APIs have the credential in the path.
  const path = createSecretSearch(listSecretsOf(auth), MAX_HEAD).scrub(pathname) ?? '/'
  return {
    method,
    host,
    path: maskPath(path.replaceAll(REMOVED, '•')).replaceAll('•', '{}'),
  }
}

/** A new approval, without its request. */
function buildApproval(
  session: AgentSession,
  request: RequestToApprove,
  requestHash: Uint8Array,
  now: number,
): AgentApproval {
  return AGENT_APPROVAL.create({
    ...describeTarget(request),
    agentApprovalId: newId('aap', now),
    agentSessionId: session.agentSessionId,
    workspaceId: session.workspaceId,
    accountId: request.auth.row.accountId,
    requestHash,
    sealedRequest: new Uint8Array(),
    status: 'pending',
    createdAt: now,
    expiresAt: Math.min(now + LIFETIME_MS, session.expiresAt),
  })
}

function createApprovalRequired(
  { agentApprovalId, status }: AgentApproval,
  url: string | undefined,
): ApiError {
  const header = `with the header Linchpin-Approval: ${agentApprovalId}`
  const where = url === undefined ? '' : ` at ${url}`
  const message =
    status === 'approved'
      ? `This request is approved. Send it again ${header}.`
      : `A person has to approve this request${where}. Once it is approved, send it again, unchanged, ${header}.`
  const errors: FieldErrors = {
    approvalId: [{ code: status, message: 'The approval.', value: agentApprovalId }],
    ...(url && { url: [{ code: status, message: 'Where the customer approves it.', value: url }] }),
  }
  return new ApiError('approval_required', message, { errors })
}

/** @throws ApiError `approval_limit` */
async function assertBelowLimit(
  { agentApprovals }: RequestApprovalDeps,
  trx: Transaction,
  { workspaceId, agentSessionId, clientId, accountIdentifier }: AgentSession,
  now: number,
): Promise<void> {
  const asker =
    clientId === null || accountIdentifier === null
      ? { agentSessionId }
      : { workspaceId, accountIdentifier }
  if (await agentApprovals.hasAtLeastPending(trx, asker, MAX_PENDING_OF_SESSION, now))
    throw new ApiError(
      'approval_limit',
      clientId === null
        ? 'This agent session has 100 requests that wait for a decision. Wait until some are decided or expire.'
        : 'The MCP clients of this customer have 100 requests that wait for a decision. Wait until some are decided or expire.',
    )
  if (await agentApprovals.hasAtLeastPending(trx, { workspaceId }, MAX_PENDING, now))
    throw new ApiError(
      'approval_limit',
      'This workspace has 1,000 requests of agents that wait for a decision. Wait until some are decided or expire.',
    )
}

/** Binds an approval to the session, the account and everything that is sent, except headers that do not matter. */
export function hashRequest(
  { vault }: Pick<RequestApprovalDeps, 'vault'>,
  { agentSessionId }: Pick<AgentSession, 'agentSessionId'>,
  { auth, method, url, requestTarget, headers, body }: RequestToApprove,
): Uint8Array {
  const content = [
    agentSessionId,
    auth.row.accountId,
    method,
    new URL(url).origin,
    requestTarget,
    listBoundHeaders(headers),
    createHash('sha256')
      .update(body ?? '')
      .digest('hex'),
  ]
  return createHmac('sha256', vault.deriveKey('agent approvals'))
    .update(JSON.stringify(content))
    .digest()
}

/** By name; each value of a name as it is sent, in their order: providers that take one of two read another request than one value. */
function listBoundHeaders(headers: RequestToApprove['headers']) {
  return Object.entries(headers)
    .map(([name, values]) => ({ name: name.toLowerCase(), values: [values].flat() }))
    .filter(({ name }) => !NEUTRAL_HEADERS.test(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ name, values }) => values.map((value) => ({ name, value })))
}

/** What HTTP clients add by themselves, or what differs between two attempts to send the same request. */
const NEUTRAL_HEADERS =
  /^(?:accept-(?:encoding|language|charset)|user-agent|traceparent|tracestate|baggage|x-request-id|priority|pragma|cache-control|dnt|sec-(?:ch|fetch|gpc).*)$/

/** The request as a person sees it: without the credentials of the account, which the agent could only have guessed. */
function describeRequest(
  { auth, url, requestTarget, headers, body }: RequestToApprove,
  maxBytes: number,
): ApprovedRequest {
  const search = createSecretSearch(listSecretsOf(auth), MAX_HEAD + maxBytes)
  const scrub = (text: string) => search.scrub(text) ?? REMOVED
  const bound = listBoundHeaders(headers)
  const contentType = bound.find(({ name }) => name === 'content-type')?.value.toLowerCase() ?? ''
  const bytes = body?.length ?? 0
  const text = body === undefined || bytes === 0 ? undefined : decodeText(body, contentType, false)
  return {
    url: scrub(`${new URL(url).origin}${requestTarget}`),
    headers: bound.map(({ name, value }) => ({ name, value: scrub(value) })),
    body: text === undefined ? null : scrub(text),
    bytes,
    sha256:
      text === undefined && body !== undefined && bytes > 0
        ? createHash('sha256').update(body).digest('hex')
        : null,
  }
}

const REMOVED = '[removed]'
/** Of URLs and headers. */
const MAX_HEAD = 65_536
