import { isDeepStrictEqual } from 'node:util'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import { listMissingScopes, type ScopeGrant } from '../../integrations/oauth/spec/scopes.ts'
import {
  type AttemptCounter,
  type AttemptGate,
  type ConnectAttempt,
  failureCode,
  getProviderResponse,
} from '../../platform/record/attempt.ts'
import type { Actor, AuditActor, Change } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { insertBoundedAttempt, record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import {
  type Account,
  type AccountFacts,
  type AccountId,
  describeAccountChange,
  serializeAccount,
} from './account.ts'
import { readAccountSnapshot } from './account-row-store.ts'

/** A change of an account. */
export interface AccountChangeRecord extends Pick<Change, 'action' | 'detail'> {
  readonly accountId: AccountId
  /** The event to publish; absent for changes that are not published. */
  readonly type?: EventType | undefined
  /** What the event says beside the account. */
  readonly data?: Readonly<Record<string, unknown>>
  /** Of the request whose purpose is the change. Default: the account. */
  readonly response?: unknown
}

/**
 * Records a change of an account in its transaction, after the change: with the account as it is now, without its
 * configuration.
 */
export async function recordAccountChange(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  { action, accountId, detail, type, data, response }: AccountChangeRecord,
): Promise<void> {
  const account = serializeAccount(await readAccountSnapshot(trx, accountId))
  await record(trx, actor, now, {
    action,
    ...(detail === undefined ? {} : { detail }),
    ...describeAccountChange(account, type, data),
    response: response ?? account,
  })
}

/** Records that the facts of an account are others than before; nothing if they are the same. */
export async function recordFactsChange(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  { accountId, facts: before }: Pick<Account, 'accountId' | 'facts'>,
  after: AccountFacts = before,
): Promise<void> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))
  if (changed.length === 0) return
  const action = 'account.facts_changed'
  const data = { changed }
  await recordAccountChange(trx, actor, now, {
    action,
    accountId,
    detail: data,
    type: action,
    data,
  })
}

/**
 * Records that other scopes are granted or missing than before. Of a new account, or if it is unknown what was granted before, only
 * if any are missing.
 */
export async function recordPermissionsChange(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  accountId: AccountId,
  before: ScopeGrant | undefined,
  after: ScopeGrant | undefined,
): Promise<void> {
  if (after?.granted == null) return
  const previous = before?.granted == null ? null : describeGrant(before)
  const current = describeGrant(after)
  if (previous === null ? current.missing.length === 0 : isDeepStrictEqual(previous, current))
    return
  const action = 'account.permissions_changed'
  await recordAccountChange(trx, actor, now, {
    action,
    accountId,
    detail: { ...current },
    type: action,
    data: { ...current, previous },
  })
}

function describeGrant(grant: ScopeGrant) {
  return { granted: [...(grant.granted ?? [])].sort(), missing: listMissingScopes(grant).sort() }
}

export interface RecordAttemptDeps {
  readonly database: Database
  readonly attemptCounts: AttemptCounter
  readonly attemptGate: AttemptGate
  readonly now: () => number
}

/** What a request to the API tried to connect. */
export interface AttemptTarget {
  readonly workspaceId: WorkspaceId
  readonly definition?: Pick<Definition, 'definitionId' | 'key' | 'latestVersion'> | undefined
  readonly linkId?: Id<'lnk'> | null
  /** The account whose credentials should be replaced. */
  readonly accountId?: Id<'acc'> | null
}

type AttemptInput = { readonly authType: string | null; readonly accountIdentifier?: string | null }
type AttemptCaller = Pick<Actor, 'requestId' | 'addLogFields'>

/** Records why a request to the API connected no account. Never throws: the request fails for its own reason. */
export async function recordFailedApiAttempt(
  deps: RecordAttemptDeps,
  caller: AttemptCaller,
  target: AttemptTarget,
  input: AttemptInput,
  error: unknown,
): Promise<void> {
  const code = failureCode(error)
  const ending = { outcome: 'failed', code, ...getProviderResponse(error) } as const
  await recordApiAttempt(deps, caller, target, input, ending)
}

/** The same for any attempt without an account, such as a check. */
export async function recordApiAttempt(
  { database, attemptCounts, attemptGate, now }: RecordAttemptDeps,
  caller: AttemptCaller,
  { workspaceId, definition, linkId = null, accountId = null }: AttemptTarget,
  { authType, accountIdentifier = null }: AttemptInput,
  ending: Pick<ConnectAttempt, 'outcome' | 'code' | 'providerStatus' | 'providerRequestId'>,
): Promise<void> {
  const { outcome, code } = ending
  attemptCounts.add({ workspaceId, definition, method: 'credentials', outcome, code })
  if (code !== null) caller.addLogFields?.(describeFailure(code, definition, linkId))
  const scope = `${workspaceId} ${linkId}`
  if (attemptGate.isClosed(scope)) return
  const attempt = {
    workspaceId,
    linkId,
    definitionId: definition?.definitionId ?? null,
    authType: authType?.slice(0, 200) ?? null,
    accountIdentifier,
    via: 'api' as const,
    accountId,
    connectSessionId: null,
    ...ending,
  }
  const insert = database.transaction((trx) => insertBoundedAttempt(trx, caller, now(), attempt))
  if (!(await insert.catch(() => true))) attemptGate.close(scope)
}

/** Fields for a log line. A link id is a capability, so the log has its first characters only. */
export function describeFailure(
  error: string,
  definition: AttemptTarget['definition'],
  linkId: Id<'lnk'> | null,
): Record<string, string> {
  return {
    error,
    ...(definition === undefined ? {} : { tool: definition.key }),
    ...(linkId === null ? {} : { link: linkId }),
  }
}
