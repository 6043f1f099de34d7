import type { Caller } from '../../../access/auth/caller.ts'
import { resolveWorkspace } from '../../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { AccountId } from '../../../accounts/accounts/account.ts'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import {
  insertBoundedAttempt,
  REFUSED_BOUNDS,
} from '../../../platform/record/bounded-attempt-store.ts'
import { failureCode } from '../../../platform/record/failure-code.ts'
import { isId } from '../../../platform/storage/id.ts'
import type { Link } from '../../links/link.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { StartOAuth } from '../oauth-schemas.ts'

/**
 * Counts, logs and lists a start that was refused, unless it named no workspace or link that the caller can access. Never
 * throws: the start fails for its own reason.
 */
export async function recordRefusedStart(
  deps: OAuthFlowDeps,
  caller: Caller,
  input: StartOAuth,
  error: unknown,
): Promise<void> {
  const subject = await findSubject(deps, caller, input).catch(() => undefined)
  if (subject === undefined) return
  const { workspaceId, link, definition } = subject
  const code = failureCode(error)
  deps.attemptCounts.add({ definition, method: 'sign_in', outcome: 'failed', code })
  caller.addLogFields?.({
    ...(definition === undefined ? {} : { tool: definition.key }),
    ...(link === undefined ? {} : { link: link.linkId }),
  })
  const { accountIdentifier = null } = input
  const authType = input.authType?.slice(0, 200) ?? null
  const definitionId = definition?.definitionId ?? null
  const linkId = link?.linkId ?? null
  const facts = [workspaceId, definitionId, linkId, authType, accountIdentifier, code]
  if (!deps.attemptGate.admits(caller.tokenId, facts)) return
  const attempt = {
    workspaceId,
    definitionId,
    linkId,
    authType,
    accountIdentifier,
    code,
    ...({ via: 'oauth', outcome: 'failed', providerStatus: null } as const),
    accountId: subject.accountId,
    connectSessionId: null,
  }
  await deps.database
    .transaction((trx) => insertBoundedAttempt(trx, caller, deps.now(), attempt, REFUSED_BOUNDS))
    .catch(() => undefined)
}

interface Subject {
  readonly workspaceId: WorkspaceId
  readonly link: Link | undefined
  readonly definition: Definition | undefined
  /** The account to reconnect. */
  readonly accountId: AccountId | null
}

/** What the start named, as far as the caller can access it. @throws ApiError `workspace_not_accessible` */
async function findSubject(
  deps: OAuthFlowDeps,
  caller: Caller,
  input: StartOAuth,
): Promise<Subject | undefined> {
  const { linkId, integrationAccountId: accountId, integrationOAuthAppId: appId } = input
  const { read } = deps.database
  const link =
    linkId != null && isId('lnk', linkId) ? await deps.links.find(caller, linkId) : undefined
  if (linkId != null && link === undefined) return undefined
  const requestedId = link?.workspaceId ?? input.workspaceId
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, requestedId)
  const account =
    accountId != null && isId('acc', accountId)
      ? await deps.accounts.findWithCredentials(read, caller, accountId)
      : undefined
  const app =
    appId != null && isId('oap', appId) ? await deps.oauthApps.find(read, caller, appId) : undefined
  const reference = app?.definitionId ?? input.integrationDefinitionId ?? account?.definitionId
  return {
    workspaceId,
    link,
    definition:
      reference == null
        ? undefined
        : await deps.definitions.findLive(read, caller, workspaceId, reference),
    accountId: account?.workspaceId === workspaceId ? account.accountId : null,
  }
}
