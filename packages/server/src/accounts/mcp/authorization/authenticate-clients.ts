import { hashSecret } from '../../../access/auth/access-token.ts'
import type { Authenticate } from '../../../access/auth/authenticate.ts'
import type { Caller } from '../../../access/auth/caller.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { AgentSessionStore } from '../../agents/agent-session-store.ts'
import type { OAuthServerRecordStore } from '../../agents/oauth-server-record-store.ts'
import { buildResource } from './metadata.ts'

export interface AuthenticateClientsDeps {
  readonly database: Pick<Database, 'read'>
  readonly oauthRecords: Pick<OAuthServerRecordStore, 'findAccess'>
  readonly agentSessions: Pick<AgentSessionStore, 'listAccounts'>
  readonly baseUrl: () => string
  readonly now: () => number
}

/** Authenticates the access tokens of clients with which people have signed in, and leaves all others to `authenticate`. */
export function authenticateClients(
  authenticate: Authenticate,
  deps: AuthenticateClientsDeps,
): Authenticate {
  const accept = (...[authorization, requestId, recent]: Parameters<Authenticate>) => {
    const token = ACCESS_TOKEN.exec(authorization ?? '')?.[1]
    return token === undefined
      ? authenticate(authorization, requestId, recent)
      : authenticateClient(deps, token, requestId)
  }
  return Object.assign(accept, { findRecent: authenticate.findRecent })
}

/** 256 random bits, as the authorization server issues them. */
const ACCESS_TOKEN = /^Bearer +([\w-]{43}) *$/i

/**
 * The caller of an access token: it is for the MCP server of the workspace in which the person has consented, and has the accounts that
 * this customer has now.
 *
 * @throws ApiError `token_invalid`
 */
async function authenticateClient(
  { database, oauthRecords, agentSessions, baseUrl, now }: AuthenticateClientsDeps,
  token: string,
  requestId: string,
): Promise<Caller> {
  const access = await oauthRecords.findAccess(hashSecret(token), now())
  const { aud, scope } = access?.payload ?? {}
  if (access === undefined || aud !== buildResource(baseUrl(), access.workspaceId))
    throw new ApiError('token_invalid', 'This access token is invalid.')
  const scopes = String(scope).split(' ')
  const owner = { userId: access.userId, boundWorkspaceId: access.workspaceId }
  const accountIds = await agentSessions.listAccounts(database.read, owner, access, MAX_ACCOUNTS)
  return {
    ...owner,
    tokenId: access.tokenId,
    scopes: new Set(['read', 'proxy']),
    isReadOnly: !scopes.includes('write'),
    expiresAt: access.expiresAt,
    requestId,
    kind: 'agent',
    accountIds: new Set(accountIds),
  }
}

const MAX_ACCOUNTS = 1_000
