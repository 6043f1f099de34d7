import type { Caller } from '../../access/auth/caller.ts'
import type { DestinationChange } from '../../access/auth/stored-secrets.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import {
  guardSecret,
  type OAuthClient,
  withClientCredentials,
} from '../../integrations/oauth/token/client-request.ts'
import {
  type LoadOAuthClientDeps,
  loadOAuthClient,
} from '../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthAppStore } from '../../integrations/oauth-apps/oauth-app-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Account } from './account.ts'
import {
  decryptConfig,
  listConfigFields,
  type PrepareConfigDeps,
  type PreparedConfig,
  prepareConfig,
} from './credentials/account-config.ts'
import {
  assertChangeAllowed,
  compareConfig,
  listMissingConfigSecrets,
} from './credentials/config-change.ts'
import { trimConfig } from './credentials/validate-config.ts'
import type { UpdateAccount } from './schemas/account-requests.ts'
import { getConfigString } from './token-refresh/grant.ts'

export interface PlanCredentialUpdateDeps extends LoadOAuthClientDeps, PrepareConfigDeps {
  readonly database: Database
  readonly oauthApps: OAuthAppStore
  readonly now: () => number
}

type Config = Readonly<Record<string, unknown>>

/** The configuration that an update results in: validated, not yet verified by CHECK. */
export interface PlannedCredentialUpdate {
  readonly authType: string
  readonly keepsAuthType: boolean
  /** The stored configuration; empty if the auth type changes, because then nothing is reused. */
  readonly stored: Config
  /** The stored configuration overlaid with the fields of the request. */
  readonly merged: Config
  /** `merged` as the bundle receives it: with the client of the account's OAuth app. */
  readonly prepared: PreparedConfig
  readonly client: OAuthClient | undefined
  /** Whether the refresh token differs from the stored one. */
  readonly isNewGrant: boolean
  readonly change: DestinationChange
}

/** Merges an update into the stored configuration and validates the result. @throws ApiError as `prepareConfig` */
export async function planCredentialUpdate(
  deps: PlanCredentialUpdateDeps,
  definition: Definition,
  row: Account,
  input: UpdateAccount,
): Promise<PlannedCredentialUpdate> {
  const authType = input.authType ?? row.authType
  const keepsAuthType = authType === row.authType
  const stored =
    keepsAuthType && row.sealedConfig !== null
      ? await decryptConfig(deps.vault, row, row.sealedConfig)
      : {}
  // `authType` inside a configuration is reserved; the caller's value is ignored.
  const { authType: _ignored, ...rest } = input.config ?? {}
  const sent = trimConfig(listConfigFields(definition.spec, authType), rest)
  const isNewGrant = hasNewGrant(stored, sent)
  const merged = { ...(isNewGrant ? withoutAccessToken(stored) : stored), ...sent }
  const client = keepsAuthType ? await loadClient(deps, row) : undefined
  const configWithClient = withClientCredentials(merged, client)
  const validated = await prepareConfig(deps, definition, authType, configWithClient, {
    workspaceId: row.workspaceId,
    linkId: row.linkId,
  })
  const prepared = { ...validated, secret: guardSecret(client) }
  const { changed, reused } = compareConfig({ stored, sent, merged }, prepared.fields)
  const change = {
    changed: keepsAuthType ? changed : ['authType', ...changed],
    reused: isClientReused(changed, sent, client) ? withClientSecret(reused) : reused,
  }
  return { authType, keepsAuthType, stored, merged, prepared, client, isNewGrant, change }
}

/**
 * Asserts that the caller may make the planned change, and records the attempt. With `isRetry`, for a plan computed
 * again under the account's lease, it records only a rejection.
 *
 * @throws ApiError `secret_required`
 */
export async function assertUpdateAllowed(
  deps: PlanCredentialUpdateDeps,
  caller: Caller,
  account: Account,
  { change }: PlannedCredentialUpdate,
  isRetry = false,
): Promise<void> {
  if (isRetry && listMissingConfigSecrets(caller, change).length === 0) return
  await assertChangeAllowed(deps, caller, { account, through: 'update', ...change })
}

/**
 * The bundle receives the client secret of the OAuth app, so a change may redirect it to another host. New tokens
 * alone cannot.
 */
function isClientReused(
  changed: readonly string[],
  sent: Config,
  client: OAuthClient | undefined,
): boolean {
  if (client?.clientSecret === undefined || sent.client_secret === client.clientSecret) return false
  return changed.some((name) => !TOKEN_FIELDS.has(name))
}

function withClientSecret(reused: readonly string[]): string[] {
  return [...new Set([...reused, 'client_secret'])].sort()
}

/** An access token of the old grant must not be combined with a refresh token of the new one. */
function hasNewGrant(stored: Config, sent: Config): boolean {
  const refreshToken = getConfigString(sent, 'refresh_token')
  return refreshToken !== undefined && refreshToken !== stored.refresh_token
}

function withoutAccessToken({ access_token: _accessToken, ...rest }: Config): Config {
  return rest
}

async function loadClient(
  deps: PlanCredentialUpdateDeps,
  row: Account,
): Promise<OAuthClient | undefined> {
  if (row.oauthAppId === null) return undefined
  const { read } = deps.database
  const app = await deps.oauthApps.findInWorkspace(read, row.workspaceId, row.oauthAppId)
  return app && loadOAuthClient(deps, app)
}

const TOKEN_FIELDS: ReadonlySet<string> = new Set(['access_token', 'refresh_token', 'token_type'])
