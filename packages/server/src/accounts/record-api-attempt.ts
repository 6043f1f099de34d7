import type { Definition } from '../definitions/definition.ts'
import type { ConnectAttempt } from '../record/attempt.ts'
import { insertBoundedAttempt } from '../record/bounded-attempt-store.ts'
import type { Actor } from '../record/change.ts'
import { failureCode, getProviderStatus } from '../record/failure-code.ts'
import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'

export interface RecordAttemptDeps {
  readonly database: Database
  readonly now: () => number
}

/** What a request to the API tried to connect. */
export interface AttemptTarget {
  readonly workspaceId: WorkspaceId
  readonly definition?: Pick<Definition, 'definitionId'> | undefined
  readonly linkId?: Id<'lnk'> | undefined
}

type AttemptInput = { readonly authType: string; readonly accountIdentifier?: string | null }

/** Records why a request to the API connected no account. Never throws: the request fails for its own reason. */
export async function recordFailedApiAttempt(
  deps: RecordAttemptDeps,
  caller: Pick<Actor, 'requestId'>,
  target: AttemptTarget,
  input: AttemptInput,
  error: unknown,
): Promise<void> {
  const code = failureCode(error)
  const providerStatus = getProviderStatus(error)
  await recordApiAttempt(deps, caller, target, input, { outcome: 'failed', code, providerStatus })
}

/** The same for any attempt without an account, such as a check. */
export async function recordApiAttempt(
  { database, now }: RecordAttemptDeps,
  caller: Pick<Actor, 'requestId'>,
  { workspaceId, definition, linkId }: AttemptTarget,
  { authType, accountIdentifier = null }: AttemptInput,
  ending: Pick<ConnectAttempt, 'outcome' | 'code' | 'providerStatus'>,
): Promise<void> {
  const attempt = {
    ...{ workspaceId, linkId: linkId ?? null, definitionId: definition?.definitionId ?? null },
    ...{ authType: authType.slice(0, 200), accountIdentifier, via: 'api' as const },
    ...{ accountId: null, connectSessionId: null, ...ending },
  }
  const insert = database.transaction((trx) => insertBoundedAttempt(trx, caller, now(), attempt))
  await insert.catch(() => undefined)
}
