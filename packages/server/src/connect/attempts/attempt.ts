import { describeFailure, recordFailedApiAttempt } from '../../accounts/accounts/account-records.ts'
import {
  type CheckOutcome,
  CredentialsRejectedError,
} from '../../accounts/accounts/verification/run-check.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import { ERRORS } from '../../platform/error-codes.ts'
import { ApiError } from '../../platform/errors.ts'
import {
  type AttemptCounter,
  type AttemptGate,
  type ConnectAttempt,
  type CountedAttempt,
  failureCode,
  getProviderResponse,
  KNOWN_CHECK_CODES,
} from '../../platform/record/attempt.ts'
import type { Actor } from '../../platform/record/change.ts'
import {
  getPageOrigin,
  insertAttempt,
  insertBoundedAttempt,
  REFUSED_BOUNDS,
} from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { type Id, isId } from '../../platform/storage/id.ts'
import type { VisitedSessionStore } from '../connect-sessions/connect-session-store.ts'
import { recordConnectSessionChange } from '../connect-sessions/record-connect-session-change.ts'
import type { LinkCounters } from '../links/link-counter-store.ts'
import { recordFailedAttempt } from './attempt-store.ts'
import type { ConnectOutcome } from './submission.ts'
import type { EndedSubmission } from './submission-store.ts'

export interface AttemptDeps {
  readonly database: Database
  readonly counters: Pick<LinkCounters, 'attempted' | 'refused' | 'succeeded'>
  readonly attemptCounts: AttemptCounter
  readonly attemptGate: AttemptGate
  readonly visitedSessions: Pick<VisitedSessionStore, 'addAccount' | 'noteFailure'>
  readonly now: () => number
}

/** Who tries to connect an account, what for, and through what. */
export interface AttemptOrigin
  extends Pick<ConnectAttempt, 'workspaceId' | 'linkId' | 'accountIdentifier'> {
  readonly actor: Actor
  readonly method: CountedAttempt['method']
  /** The tool; undefined until it is known that the attempt may use it. */
  readonly tool?: Pick<Definition, 'definitionId' | 'key' | 'latestVersion'> | undefined
  /** Null if it is not known. */
  readonly authType: string | null
  /** The tool's ID, if it is known although the tool is not. Default: that of `tool`. */
  readonly definitionId?: Id<'def'> | null
  /** The account to reconnect. Default: none. */
  readonly accountId?: Id<'acc'> | null
  /** Default: none. */
  readonly connectSessionId?: Id<'cns'> | null
  /** Absent for a request to the API, which only its response ends. */
  readonly person?: PersonOrigin
}

/** The part of an attempt that a person sees on a page. */
export interface PersonOrigin {
  /** Distinguishes people in the limit of events, such as the hash of a page session. */
  readonly key: string | Uint8Array
  /** The submitted values. The names of these fields may be published. */
  readonly values?: Readonly<Record<string, unknown>>
  /** Ends the submission or the OAuth session. Undefined if it had ended: the first end wins. */
  end(trx: Transaction, outcome: ConnectOutcome, now: number): Promise<EndedSubmission | undefined>
  /** What the limiter of failed checks has admitted. */
  readonly check?: { failed(): void; passed(): void } | undefined
}

/** The account that an attempt connected. Default: what the attempt was for. */
export interface ConnectedAccount
  extends Partial<Pick<ConnectAttempt, 'authType' | 'accountIdentifier'>> {
  readonly accountId: Id<'acc'>
}

export interface SuccessDetails {
  /** The submission, if it has ended already. */
  readonly ended?: EndedSubmission
  /** The outcome of CHECK. Default: the provider's last response is unknown. */
  readonly outcome?: Pick<CheckOutcome, 'lastStatus' | 'lastRequestId'>
}

/** The submission has ended while the attempt was running: its person has cancelled it, or it was erased. */
export class AttemptEnded extends Error {}

/**
 * An attempt to connect an account. Only it knows what its end is reported to: the submission or OAuth session and the connect
 * session, the list of attempts, the event `connect.failed`, the counters of the link, the metrics, the log line of the
 * request, and the limiter of failed checks.
 */
export interface Attempt {
  /** Undefined until it is known that the attempt may use it. */
  tool: AttemptOrigin['tool']
  /** Counts the attempt at its link. */
  begin(): void
  /**
   * Ends the attempt in the transaction that stores the account.
   *
   * @throws AttemptEnded; ApiError `connect_session_ended`: the connect session was revoked or completed meanwhile
   */
  succeed(trx: Transaction, account: ConnectedAccount, details?: SuccessDetails): Promise<void>
  /** Reports the account once the transaction is committed. */
  succeeded(): void
  /** Ends the attempt, and reports why. `failure`: what its page shows. Default: the code of the error. */
  fail(error: unknown, failure?: Failure): Promise<void>
  /** Reports an attempt that was refused before anything was sent. Its link counts it only if it has begun. Never throws. */
  refuse(code: string): Promise<void>
  /** Reports an attempt that its person has cancelled. `isStored`: whether the list may have it. */
  cancel(isStored: () => Promise<boolean>): Promise<void>
}

type Failure = Exclude<ConnectOutcome, { readonly accountId: unknown }>

/** Creates an attempt. Nothing is reported before it begins, ends or is refused. */
export function createAttempt(deps: AttemptDeps, origin: AttemptOrigin): Attempt {
  const { method, person } = origin
  const getCurrent = (): AttemptOrigin => ({ ...origin, tool: attempt.tool })
  let hasBegun = false
  const count = (outcome: CountedAttempt['outcome'], code: string | null) =>
    deps.attemptCounts.add({
      workspaceId: origin.workspaceId,
      definition: attempt.tool,
      method,
      outcome,
      code,
    })
  const attempt: Attempt = {
    tool: origin.tool,
    begin() {
      hasBegun = true
      deps.counters.attempted(origin.linkId)
    },
    succeed: (trx, account, details) => endWithAccount(deps, getCurrent(), trx, account, details),
    succeeded() {
      count('connected', null)
      deps.counters.succeeded(origin.linkId)
      person?.check?.passed()
    },
    async fail(error, failure = { code: failureCode(error) }) {
      const current = getCurrent()
      deps.counters.refused(origin.linkId, toDocumentedCode(failure.code))
      if (person === undefined) {
        const target = { ...origin, definition: attempt.tool }
        return recordFailedApiAttempt(deps, origin.actor, target, origin, error)
      }
      settleCheck(person, error, failure.code)
      logFailure(current, failure.code)
      // A form is processed once, but a sign-in can fail in two requests, such as a double click.
      if (method === 'credentials') count('failed', failure.code)
      const ending = toFailedEnding(failure.code, error)
      const isFirst = await endWithFailure(deps, { ...current, person }, failure, ending)
      if (isFirst && method === 'sign_in') count(ending.outcome, ending.code)
    },
    async refuse(code) {
      const current = getCurrent()
      const { workspaceId, linkId, accountIdentifier, actor } = origin
      if (hasBegun) deps.counters.refused(linkId, code)
      count('failed', code)
      logFailure(current, code)
      const scope = actor.tokenId ?? origin.connectSessionId ?? linkId ?? workspaceId
      const facts = [workspaceId, linkId, getDefinitionId(current), accountIdentifier, code]
      if (!deps.attemptGate.admits(scope, facts)) return
      const refused = { ...describeAttempt(current), outcome: 'failed', code } as const
      await listRefusedAttempt(deps, actor, refused)
    },
    async cancel(isStored) {
      person?.check?.passed()
      count('cancelled', null)
      if (!(await isStored())) return
      const row = { ...describeAttempt(getCurrent()), outcome: 'cancelled', code: null } as const
      await listRefusedAttempt(deps, origin.actor, row)
    },
  }
  return attempt
}

/** What is known of an attempt whose page was not loaded. */
export interface UnloadedOrigin extends Pick<AttemptOrigin, 'method'> {
  readonly actor: Pick<Actor, 'requestId' | 'addLogFields'>
  /** The link or the connect session that its URL names, which may not exist. */
  readonly pageId: string
  /** What the form says of itself. */
  readonly facts: readonly (string | undefined)[]
  /** Loads the rest; undefined if the page does not exist. */
  load(): Promise<AttemptOrigin | undefined>
}

/** As `refuse`, for an attempt whose page was not loaded. Never throws. */
export async function refuseUnloaded(
  deps: AttemptDeps,
  { actor, method, pageId, facts, load }: UnloadedOrigin,
  code: string,
): Promise<void> {
  actor.addLogFields?.({
    error: code,
    ...(isId('lnk', pageId) ? { link: pageId } : {}),
    ...(isId('cns', pageId) ? { connectSessionId: pageId } : {}),
  })
  // Before any query: the sender may know a link id, and pays nothing for its requests.
  const isListed = deps.attemptGate.admits(pageId.slice(0, 64), [...facts, code])
  const origin = isListed ? await load().catch(() => undefined) : undefined
  const workspaceId = origin?.workspaceId ?? null
  deps.attemptCounts.add({ workspaceId, definition: undefined, method, outcome: 'failed', code })
  if (origin !== undefined)
    await listRefusedAttempt(deps, actor, { ...describeAttempt(origin), outcome: 'failed', code })
}

/** Lists an attempt without an account if there is room for one of which nothing was sent. Never throws. */
async function listRefusedAttempt(
  { database, now }: Pick<AttemptDeps, 'database' | 'now'>,
  actor: Pick<Actor, 'requestId'>,
  attempt: Omit<ConnectAttempt, 'providerStatus' | 'providerRequestId'>,
): Promise<void> {
  const row = { ...attempt, providerStatus: null }
  await database
    .transaction((trx) => insertBoundedAttempt(trx, actor, now(), row, REFUSED_BOUNDS))
    .catch(() => undefined)
}

async function endWithAccount(
  deps: AttemptDeps,
  origin: AttemptOrigin,
  trx: Transaction,
  account: ConnectedAccount,
  { outcome, ...details }: SuccessDetails = {},
): Promise<void> {
  const { actor, person } = origin
  const {
    accountId,
    authType = origin.authType,
    accountIdentifier = origin.accountIdentifier,
  } = account
  const ended = details.ended ?? (await person?.end(trx, { accountId }, deps.now()))
  if (person !== undefined && ended === undefined) throw new AttemptEnded()
  const connectSessionId = ended?.connectSessionId ?? null
  await insertAttempt(trx, actor, deps.now(), {
    ...describeAttempt({ ...origin, authType, accountIdentifier, accountId, connectSessionId }),
    outcome: 'connected',
    code: null,
    providerStatus: outcome?.lastStatus ?? null,
    providerRequestId: outcome?.lastRequestId ?? null,
  })
  if (connectSessionId !== null)
    await addAccountToSession(deps, trx, actor, connectSessionId, accountId)
}

/**
 * Notes an account in its connect session, in the transaction that stores it: it is stored only if the session accepts it.
 *
 * @throws ApiError `connect_session_ended` when the session was revoked or completed meanwhile
 */
export async function addAccountToSession(
  { visitedSessions, now }: Pick<AttemptDeps, 'visitedSessions' | 'now'>,
  trx: Transaction,
  // The idempotency key belongs to the account.
  { idempotencyClaim: _, ...actor }: Actor,
  connectSessionId: Id<'cns'>,
  accountId: Id<'acc'>,
): Promise<void> {
  const session = await visitedSessions.addAccount(trx, connectSessionId, accountId, now())
  if (session === undefined)
    throw new ApiError(
      'connect_session_ended',
      'This connect session has ended. The account was not stored.',
    )
  if (session.completedAt !== null)
    await recordConnectSessionChange(trx, actor, now(), 'connect_session.completed', session)
}

/** Returns whether the attempt had not ended before. */
async function endWithFailure(
  deps: AttemptDeps,
  origin: AttemptOrigin & { readonly person: PersonOrigin },
  failure: Failure,
  ending: Pick<ConnectAttempt, 'outcome' | 'code' | 'providerStatus' | 'providerRequestId'>,
): Promise<boolean> {
  const { actor, person } = origin
  const { code, field } = failure
  const now = deps.now()
  // The integration names the field: only names of the form are published.
  const isField = field !== undefined && Object.hasOwn(person.values ?? {}, field)
  return deps.database.transaction(async (trx) => {
    const ended = await person.end(trx, failure, now)
    if (ended === undefined) return false
    const { connectSessionId } = ended
    if (connectSessionId !== null)
      await deps.visitedSessions.noteFailure(trx, connectSessionId, code, now)
    const attempt = { ...describeAttempt({ ...origin, connectSessionId }), ...ending }
    const details = { field: isField ? field : null, person: person.key }
    await recordFailedAttempt(trx, actor, now, attempt, details)
    return true
  })
}

function describeAttempt(origin: AttemptOrigin) {
  const { actor, method, workspaceId, linkId, authType, accountIdentifier } = origin
  const { accountId = null, connectSessionId = null } = origin
  const viaToken = method === 'credentials' ? 'api' : 'oauth'
  return {
    workspaceId,
    linkId,
    authType,
    accountId,
    accountIdentifier,
    connectSessionId,
    definitionId: getDefinitionId(origin),
    via: actor.tokenId === null ? getPageOrigin(connectSessionId) : viaToken,
  } as const
}

function getDefinitionId({ definitionId, tool }: AttemptOrigin): Id<'def'> | null {
  return definitionId ?? tool?.definitionId ?? null
}

function toFailedEnding(failed: string, error: unknown) {
  const code = isListed(failed) ? failed : 'oauth_attempt_invalid'
  const outcome = code === 'access_denied' ? 'cancelled' : 'failed'
  return { code, outcome, ...getProviderResponse(error) } as const
}

/** Internal outcomes of a sign-in, such as `other_browser`, are not. */
function isListed(code: string): boolean {
  return Object.hasOwn(ERRORS, code) || KNOWN_CHECK_CODES.includes(code)
}

/** The code for the counters of a link. */
function toDocumentedCode(code: string): string {
  const isOfCheck = KNOWN_CHECK_CODES.includes(code) && !Object.hasOwn(ERRORS, code)
  return isOfCheck ? 'credentials_rejected' : code
}

/** Without a verdict, the budgets are not refunded: the provider may have received the credentials. */
function settleCheck({ check }: PersonOrigin, error: unknown, code: string): void {
  // An integration that throws rejects the credentials, too.
  if (error instanceof CredentialsRejectedError || code === 'integration_failed') check?.failed()
  else if (!CODES_WITHOUT_VERDICT.has(code)) check?.passed()
}

const CODES_WITHOUT_VERDICT: ReadonlySet<string> = new Set([
  ...['provider_error', 'provider_timeout'],
  ...['integration_timeout', 'integration_limit', 'integration_bad_output'],
])

/** Adds the reason to the log line of the request. */
function logFailure(origin: AttemptOrigin, error: string): void {
  const { actor, workspaceId, tool, linkId, connectSessionId = null } = origin
  actor.addLogFields?.({
    ...describeFailure(error, tool, linkId),
    workspaceId,
    ...(connectSessionId === null ? {} : { connectSessionId }),
  })
}
