import type { Caller } from '../caller/caller.ts'
import type { OAuthClient } from '../oauth/token/client-request.ts'
import { guardSecret } from '../oauth/token/secret-guard.ts'
import { openClient } from '../oauth-app/oauth-client.ts'
import type { AccountRow, DefinitionRow } from '../storage/tables.ts'
import { admitChange, missingSecrets } from './config/admit-change.ts'
import { type ConfigChange, compareConfig } from './config/compare-config.ts'
import { type PreparedConfig, prepareConfig } from './config/prepare-config.ts'
import { openConfig } from './config/sealed-config.ts'
import { configText, withClient } from './renewal/grant/open-grant.ts'
import type { ReplaceCredentialsDeps } from './replace-credentials.ts'
import type { UpdateAccount } from './wire/account-requests.ts'

type Config = Readonly<Record<string, unknown>>

/** What an update makes of an account's configuration: validated, not checked yet. */
export interface PlannedChange {
  readonly authType: string
  readonly staysType: boolean
  /** The stored configuration; empty under another auth type, which reuses nothing of it. */
  readonly stored: Config
  /** The stored configuration with what was sent in place of it. */
  readonly merged: Config
  /** The merged one as the bundle gets it: with the client of the account's OAuth app. */
  readonly prepared: PreparedConfig
  readonly client: OAuthClient | undefined
  /** Whether the refresh token is another than the stored one. */
  readonly isNewGrant: boolean
  readonly change: ConfigChange
}

/**
 * Merges an update into the stored configuration and validates the result.
 *
 * @throws ApiError as prepareConfig
 */
export async function planChange(
  deps: ReplaceCredentialsDeps,
  definition: DefinitionRow,
  row: AccountRow,
  input: UpdateAccount,
): Promise<PlannedChange> {
  const authType = input.authType ?? row.auth_type
  const staysType = authType === row.auth_type
  const stored =
    staysType && row.sealed_config !== null
      ? await openConfig(deps.vault, row, row.sealed_config)
      : {}
  // A caller's authType is dropped from every configuration.
  const { authType: _ours, ...sent } = input.config ?? {}
  const isNewGrant = bringsNewGrant(stored, sent)
  const merged = { ...(isNewGrant ? withoutAccess(stored) : stored), ...sent }
  const client = staysType ? await clientOf(deps, row) : undefined
  const filled = withClient(merged, client)
  const valid = await prepareConfig(deps.judgeConfig, definition, authType, filled, {
    workspaceId: row.workspace_id,
    linkId: row.link_id,
  })
  const prepared = { ...valid, secret: guardSecret(client) }
  const { changed, reused } = compareConfig({ stored, sent, merged }, prepared.fields)
  const change = {
    changed: staysType ? changed : ['authType', ...changed],
    reused: reusesClient(changed, sent, client) ? withClientSecret(reused) : reused,
  }
  return { authType, staysType, stored, merged, prepared, client, isNewGrant, change }
}

/**
 * Admits a planned change, and records the attempt unless `isRepeated`: a plan that is made again after the account was locked
 * is recorded only if it is refused now.
 *
 * @throws ApiError `secret_required`
 */
export async function admitPlan(
  deps: ReplaceCredentialsDeps,
  caller: Caller,
  account: AccountRow,
  { change }: PlannedChange,
  isRepeated = false,
): Promise<void> {
  if (isRepeated && missingSecrets(caller, change).length === 0) return
  await admitChange(deps, caller, { account, through: 'update', ...change })
}

/** The client secret of the OAuth app is part of what the bundle gets. Tokens alone choose no host for it. */
function reusesClient(
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

/** An access token of the old grant must not be used beside a refresh token of the new one. */
function bringsNewGrant(stored: Config, sent: Config): boolean {
  const refreshToken = configText(sent, 'refresh_token')
  return refreshToken !== undefined && refreshToken !== stored.refresh_token
}

function withoutAccess({ access_token: _ended, ...rest }: Config): Config {
  return rest
}

async function clientOf(
  deps: ReplaceCredentialsDeps,
  row: AccountRow,
): Promise<OAuthClient | undefined> {
  if (row.oauth_app_id === null) return undefined
  const { read } = deps.database
  const app = await deps.oauthApps.findInWorkspace(read, row.workspace_id, row.oauth_app_id)
  return app && openClient(deps, app)
}

const TOKEN_FIELDS: ReadonlySet<string> = new Set(['access_token', 'refresh_token', 'token_type'])
