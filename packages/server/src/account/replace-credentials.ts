import type { Caller } from '../caller/caller.ts'
import { referencedDefinition } from '../definition/referenced-definition.ts'
import { readOAuthType } from '../oauth/spec/auth-type.ts'
import type { AccountRow, DefinitionRow } from '../storage/tables.ts'
import { proveConfig } from './check/prove-config.ts'
import type { RotatedConfig } from './check/rotate-first.ts'
import type { PreparedConfig } from './config/prepare-config.ts'
import { publicConfig } from './config/public-config.ts'
import { sealedPlace } from './config/sealed-config.ts'
import { type ConnectAccountDeps, UNRENEWED } from './connect-account.ts'
import { admitPlan, type PlannedChange, planChange } from './plan-change.ts'
import { abandonedGrant } from './renewal/grant/abandoned-grant.ts'
import { fetchTokens } from './renewal/grant/fetch-tokens.ts'
import { configText, type Grant } from './renewal/grant/open-grant.ts'
import { revokeAbandoned } from './renewal/grant/revoke-abandoned.ts'
import { RELEASED } from './renewal/lease/held-lease.ts'
import { leaseWhenFree } from './renewal/lease/lease-when-free.ts'
import { underLease } from './renewal/renew-account.ts'
import { renewBeforeCheck } from './renewal/renew-before-check.ts'
import type { RenewalDeps } from './renewal/renewal-deps.ts'
import { accountPending } from './renewal/renewal-errors.ts'
import { tokenTimes } from './renewal/token-times.ts'
import type { UpdateAccount } from './wire/account-requests.ts'

export interface ReplaceCredentialsDeps extends ConnectAccountDeps, RenewalDeps {}

/** Stores credentials, and forgets the rotation that they came by. */
type StoreCredentials = (
  row: AccountRow,
  credentials: Partial<AccountRow>,
  rotationId: string | undefined,
) => Promise<void>

type Config = Readonly<Record<string, unknown>>

/**
 * Proves changed credentials to work and has them stored in place of the old ones. Where an OAuth app renews the
 * account, its client stands in for the one of the configuration, as in every use. Where tokens could be renewed meanwhile,
 * all of it happens under the account's lease: two must not use one refresh token.
 *
 * @param store gets the account as it was when its credentials were read
 * @throws ApiError as proveConfig, planChange, admitPlan and renewBeforeCheck; `unknown_reference`, `account_pending`
 */
export async function replaceCredentials(
  deps: ReplaceCredentialsDeps,
  caller: Caller,
  seen: AccountRow,
  input: UpdateAccount,
  store: StoreCredentials,
): Promise<void> {
  if (seen.status === 'pending') throw accountPending()
  const { workspace_id: workspaceId, definition_id: definitionId } = seen
  const { read } = deps.database
  const definition = await referencedDefinition(deps, read, caller, workspaceId, definitionId)
  const replace = async (row: AccountRow, plan: PlannedChange) => {
    const { credentials, rotationId } = await newCredentials(deps, definition, row, plan)
    await store(row, credentials, rotationId)
    if (credentials.auth_type !== row.auth_type) await leaveGrant(deps, row)
  }
  const plan = await planChange(deps, definition, seen, input)
  await admitPlan(deps, caller, seen, plan)
  if (!hasTokenUrl(definition, seen.auth_type)) return replace(seen, plan)
  if (keepsTokens(seen, input)) await renewBeforeCheck(deps, seen)
  const held = await leaseWhenFree(deps, seen)
  return underLease(held, async () => {
    // Another request may have stored other secrets since.
    const current = await planChange(deps, definition, held.row, input)
    await admitPlan(deps, caller, held.row, current, true)
    await replace(held.row, current)
  })
}

/** Whether CHECK will be asked about the tokens that are there. */
function keepsTokens(seen: AccountRow, { authType, config }: UpdateAccount): boolean {
  const isSameType = (authType ?? seen.auth_type) === seen.auth_type
  return isSameType && config?.access_token == null && config?.refresh_token == null
}

/** Under another auth type nobody keeps the tokens of a sign-in. */
async function leaveGrant(deps: ReplaceCredentialsDeps, row: AccountRow): Promise<void> {
  const left = { subject: row.account_id, open: () => abandonedGrant(deps, row) }
  await revokeAbandoned(deps, left)
}

async function newCredentials(
  deps: ReplaceCredentialsDeps,
  definition: DefinitionRow,
  row: AccountRow,
  plan: PlannedChange,
): Promise<{ credentials: Partial<AccountRow>; rotationId: string | undefined }> {
  const { authType, staysType, stored, merged, prepared, client, isNewGrant } = plan
  const type = readOAuthType(JSON.parse(definition.spec), authType)
  const proven = await proveTokens(deps, row.workspace_id, prepared, { type, client, isNewGrant })
  const config = client === undefined ? proven.config : withOwnClient(proven.config, merged)
  const credentials = {
    ...(staysType ? renewalColumns(deps.now(), row, stored, config, proven) : UNRENEWED),
    ...(staysType ? {} : { token_expires_at: proven.expiresAt }),
    ...RELEASED,
    auth_type: authType,
    public_config: JSON.stringify(publicConfig(config, prepared.fields)),
    sealed_config: await deps.vault.seal(sealedPlace(row), JSON.stringify(config)),
    sealed_headers: null,
    credential_version: row.credential_version + 1,
  }
  return { credentials, rotationId: proven.rotationId }
}

/** As proveConfig; a refresh token that came alone gets its access token first, which most integrations CHECK with. */
async function proveTokens(
  deps: ReplaceCredentialsDeps,
  workspaceId: string,
  prepared: PreparedConfig,
  { type, client, isNewGrant }: Pick<Grant, 'type' | 'client'> & { readonly isNewGrant: boolean },
): Promise<RotatedConfig> {
  const { config } = prepared
  const isAlone = isNewGrant && configText(config, 'access_token') === undefined
  const fetched = isAlone
    ? await fetchTokens(deps, { type, client, config }, prepared.tenant)
    : undefined
  if (fetched === undefined) return proveConfig(deps, workspaceId, prepared)
  const proven = await proveConfig(deps, workspaceId, { ...prepared, config: fetched.config })
  return proven.isRotated ? proven : { ...proven, expiresAt: fetched.expiresAt }
}

/**
 * The credentials work, so the account is well again, and nothing that renewal knew of the old ones holds. But where the
 * token endpoint has said that the grant is dead, only other tokens bring it back.
 */
function renewalColumns(
  now: number,
  row: AccountRow,
  kept: Config,
  config: Config,
  proven: RotatedConfig,
): Partial<AccountRow> {
  const isRenewed = row.oauth_app_id !== null
  const hasRefreshToken = configText(config, 'refresh_token') !== undefined
  const isSame = ['access_token', 'refresh_token'].every((name) => kept[name] === config[name])
  const isMissing = isRenewed && hasRefreshToken && configText(config, 'access_token') === undefined
  const isUnchanged = isSame && !proven.isRotated
  if (isRenewed && isUnchanged && row.status === 'needs_reauth') return {}
  const known = isUnchanged ? row.token_expires_at : proven.expiresAt
  // Without an access token the first use has to fetch one.
  const end = isMissing ? now : known
  return {
    status: 'active',
    status_reason: isRenewed && !hasRefreshToken ? 'no_refresh_token' : null,
    ...tokenTimes(now, end, row.token_life_ms, hasRefreshToken),
    // What is left of a life is not a life.
    ...(isUnchanged ? { token_life_ms: row.token_life_ms } : {}),
    ...(isRenewed ? {} : { renew_at: null }),
    renew_failures: 0,
    renewal_sent_at: null,
  }
}

/** What is stored never holds the client of the app: it is read anew at each use. */
function withOwnClient(config: Config, { client_id, client_secret }: Config): Config {
  const { client_id: _id, client_secret: _secret, ...rest } = config
  return {
    ...rest,
    ...(client_id === undefined ? {} : { client_id }),
    ...(client_secret === undefined ? {} : { client_secret }),
  }
}

function hasTokenUrl({ spec }: DefinitionRow, authType: string): boolean {
  const { auth_specification: types } = JSON.parse(spec)
  return Boolean(Object.hasOwn(types, authType) && types[authType].token_url)
}
