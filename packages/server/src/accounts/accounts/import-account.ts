import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { CHECK_ERRORS } from '../../access/operations/operation-errors.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { requireDefinition } from '../../integrations/definitions/find-definition.ts'
import { unknownReference } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { deriveId, type Id } from '../../platform/storage/id.ts'
import { type AccountId, type NewAccount, toNewAccount, UNCHECKED } from './account.ts'
import { toAccountFields } from './create-account.ts'
import { createEncryptionContext, redactConfig } from './credentials/account-config.ts'
import { NON_REFRESHABLE_DEFAULTS } from './credentials/non-refreshable-defaults.ts'
import { type ImportAccountDeps, type PlannedImport, planImport } from './plan-import.ts'
import { describeAccountChange, IntegrationAccount } from './schemas/account.ts'
import { ImportAccount } from './schemas/import-request.ts'
import { fetchTokens } from './token-refresh/grant/fetch-tokens.ts'
import { getConfigString } from './token-refresh/grant.ts'
import { getTokenTiming } from './token-refresh/refresh-schedule.ts'
import { type CheckedConfig, checkConfig, getSender } from './verification/check-config.ts'

export const importAccountOperation = defineOperation({
  id: 'importAccount',
  sdk: 'accounts.import',
  method: 'POST',
  path: '/v1/integration_account/import',
  tag: 'Integration accounts',
  summary: 'Import an account that another system has connected',
  description:
    'Stores its credentials encrypted, without a check: `statusReason` is `unchecked` until they have worked once. For an `externalId` that was imported before, returns that account, or its tombstone, and changes nothing.',
  scope: 'admin',
  body: ImportAccount,
  response: IntegrationAccount,
  returns: 'The account.',
  errors: [
    ...CHECK_ERRORS,
    'credentials_rejected',
    'unknown_reference',
    'oauth_app_missing',
    'oauth_app_secret_required',
  ],
  audit: 'account.created',
  config: { rate: 'bundle' },
  handle: (deps: ImportAccountDeps, caller, { body }) => importAccount(deps, caller, body),
})

/**
 * Stores an account that another system has connected, with its credentials, and returns it as JSON. Its id is derived
 * from `externalId`: the workspace has at most one account for each, so that a repeated import returns the
 * stored account, or its tombstone, and changes nothing (decision 061).
 *
 * @param linkId the link through which the account was connected; it must belong to the workspace
 * @throws ApiError as `planImport`; with `check` also as `checkConfig`; `unknown_reference`
 */
export async function importAccount(
  deps: ImportAccountDeps,
  caller: Caller,
  input: ImportAccount,
  linkId: Id<'lnk'> | null = null,
): Promise<string> {
  const { database, accounts } = deps
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const accountId = deriveAccountId(workspaceId, input.externalId)
  const existing = await accounts.findResponse(caller, accountId)
  if (existing !== undefined) return existing
  const definitionId = input.integrationDefinitionId
  const definition = await requireDefinition(deps, database.read, caller, workspaceId, definitionId)
  const plan = await planImport(deps, caller, definition, workspaceId, input)
  await using checked = input.check ? await checkImport(deps, caller, plan) : undefined
  const ids = { workspaceId, accountId, linkId, definitionId: definition.definitionId }
  const account = await createRecord(deps, plan, checked, input, ids)
  const response = await database.transaction(
    (trx) => insertImported(deps, trx, caller, account, checked),
    { serializable: true },
  )
  const stored = response ?? (await accounts.findResponse(caller, accountId))
  if (stored === undefined) throw unknownReference('workspaceId')
  return stored
}

/** The id of the account that is imported under this external id. */
export function deriveAccountId(workspaceId: WorkspaceId, externalId: string): AccountId {
  return deriveId('acc', `import ${workspaceId} ${externalId}`)
}

/** Runs CHECK as an update of the credentials does: a refresh token without an access token is used first. */
function checkImport(
  deps: ImportAccountDeps,
  caller: Caller,
  { oauth, prepared }: PlannedImport,
): Promise<CheckedConfig> {
  return checkConfig(deps, prepared, {
    sender: getSender(caller),
    mustBeAccepted: true,
    withIdentity: oauth !== undefined,
    async fetchInitialTokens(config) {
      if (oauth === undefined || getConfigString(config, 'access_token') !== undefined)
        return undefined
      return fetchTokens(deps, { ...oauth, config }, prepared.tenant)
    },
  })
}

type ImportedIds = Pick<NewAccount, 'workspaceId' | 'accountId' | 'linkId' | 'definitionId'>

async function createRecord(
  deps: Pick<ImportAccountDeps, 'vault' | 'now'>,
  plan: PlannedImport,
  checked: CheckedConfig | undefined,
  input: ImportAccount,
  ids: ImportedIds,
): Promise<NewAccount> {
  const now = deps.now()
  const { oauth, prepared } = plan
  const config = checked === undefined ? plan.config : withoutClient(checked.config, plan)
  const identity = checked?.identity
  return toNewAccount({
    ...NON_REFRESHABLE_DEFAULTS,
    ...ids,
    ...toAccountFields(input),
    authType: prepared.authType,
    publicConfig: redactConfig(config, prepared.fields),
    sealedConfig: await deps.vault.seal(createEncryptionContext(ids), JSON.stringify(config)),
    credentialVersion: 1,
    ...(oauth === undefined ? {} : { oauthAppId: oauth.app.oauthAppId }),
    ...getTimingColumns(now, plan, checked, config),
    statusReason: getStatusReason(plan, checked, config),
    identityId: identity?.id,
    identityLabel: identity?.label,
    createdAt: plan.createdAt ?? now,
    updatedAt: now,
  })
}

function getStatusReason(
  { oauth }: PlannedImport,
  checked: CheckedConfig | undefined,
  config: PlannedImport['config'],
): string | null {
  if (checked === undefined) return UNCHECKED
  const lacksRefreshToken = oauth !== undefined && !hasRefreshToken(config)
  return lacksRefreshToken ? 'no_refresh_token' : null
}

function getTimingColumns(
  now: number,
  { oauth, expiresAt }: PlannedImport,
  checked: CheckedConfig | undefined,
  config: PlannedImport['config'],
) {
  const knownExpiry = checked?.isRefreshed ? checked.expiresAt : expiresAt
  if (oauth === undefined) return { tokenExpiresAt: checked?.expiresAt ?? null }
  // Expired: the first use must fetch an access token.
  const expiry = getConfigString(config, 'access_token') === undefined ? now : knownExpiry
  return {
    ...getTokenTiming(now, expiry, null, hasRefreshToken(config)),
    // The remaining lifetime is not the token's TTL.
    ...(checked?.isRefreshed ? {} : { tokenTtlMs: null }),
  }
}

const hasRefreshToken = (config: PlannedImport['config']) =>
  getConfigString(config, 'refresh_token') !== undefined

/** The client of the OAuth app is never stored with the account. */
function withoutClient(
  config: PlannedImport['config'],
  { oauth }: PlannedImport,
): PlannedImport['config'] {
  if (oauth === undefined) return config
  const { client_id: _id, client_secret: _secret, ...rest } = config
  return rest
}

/** Undefined if a concurrent import has stored the account. @throws ApiError `unknown_reference` */
async function insertImported(
  deps: ImportAccountDeps,
  trx: Transaction,
  caller: Caller,
  account: NewAccount,
  checked: CheckedConfig | undefined,
): Promise<string | undefined> {
  const { accountId, definitionId, linkId, authType, updatedAt } = account
  if ((await deps.accounts.findWithCredentials(trx, caller, accountId)) !== undefined)
    return undefined
  const response = await deps.accounts.insertIfDefinitionLive(trx, account)
  if (response === undefined) throw unknownReference('integrationDefinitionId')
  if (checked !== undefined && checked.rotatedTokens.length > 0)
    await deps.rotations.delete(trx, checked.prepared, checked.rotatedTokens)
  const created: IntegrationAccount = JSON.parse(response)
  await record(trx, caller, updatedAt, {
    action: 'account.created',
    detail: { definitionId, linkId, authType, imported: true },
    ...describeAccountChange(created, 'account.created', {
      connectSessionId: null,
      imported: true,
    }),
    response,
  })
  return response
}
