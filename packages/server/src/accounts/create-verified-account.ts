import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { AccessScope } from '../auth/caller.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { requireDefinition } from '../definitions/require-definition.ts'
import { newId } from '../storage/id.ts'
import type { AccountRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { AccountStore } from './account-store.ts'
import { encryptionContext } from './credentials/encrypted-config.ts'
import { type PreparedConfig, prepareConfig } from './credentials/prepare-config.ts'
import { redactConfig } from './credentials/redact-config.ts'
import type { ValidateConfig } from './credentials/validate-config.ts'
import type { IntegrationAccount } from './schemas/account.ts'
import type { CreateAccountThroughLink } from './schemas/account-requests.ts'
import { serializeAccount } from './schemas/serialize-account.ts'
import type { CheckConfigDeps, CheckedConfig, NewestConfig } from './verification/check-config.ts'
import { getSender } from './verification/rotation-binding.ts'
import { verifyCredentials } from './verification/verify-credentials.ts'

export interface CreateVerifiedAccountDeps extends CheckConfigDeps {
  readonly definitions: DefinitionStore
  readonly accounts: AccountStore
  readonly validateConfig: ValidateConfig
}

/** Where an account is added, and what the way in asks for. */
export interface CreateAccountContext {
  readonly workspaceId: string
  readonly linkId: string | null
  readonly oauthOnly: boolean
  /** Runs in the transaction that stores the account; throws when the way in has closed meanwhile. */
  readonly assertAllowed: (trx: Transaction, account: AccountRow) => Promise<void>
  /** Runs the storing transaction: a way in that counts lets one after another. */
  readonly withLock?: ((insert: () => Promise<void>) => Promise<void>) | undefined
  /** The visit of a link that sends the configuration. */
  readonly pageSessionId?: string | undefined
  /** Names the account once its configuration was accepted. Absent: the name that was given. */
  readonly resolveName?: ((accepted: PreparedConfig) => Promise<string>) | undefined
}

/**
 * Adds an account, once its credentials have been proven to work: one way in, for the API and for links.
 *
 * @throws ApiError `unknown_reference`, `auth_type_not_allowed`, `validation_failed`, `credentials_rejected`,
 * `provider_error`, `provider_timeout`, `integration_…`
 */
export async function createVerifiedAccount(
  deps: CreateVerifiedAccountDeps,
  caller: AccessScope & Actor & { readonly scopes?: ReadonlySet<string> },
  context: CreateAccountContext,
  input: CreateAccountThroughLink,
): Promise<IntegrationAccount> {
  const definitionId = input.integrationDefinitionId
  const { read } = deps.database
  const { workspaceId } = context
  const definition = await requireDefinition(deps, read, caller, workspaceId, definitionId)
  const prepared = await prepareConfig(
    deps.validateConfig,
    definition,
    input.authType,
    input.config,
    context,
  )
  const onVerified = async (verified: CheckedConfig) => {
    const name =
      (await context.resolveName?.(verified.identitySubject())) ?? input.integrationAccountName
    const namedInput = { ...input, integrationAccountName: name }
    const row = await newAccountRow(deps, context, namedInput, {
      ...prepared,
      ...(await verified.newest()),
    })
    const { withLock = (work: () => Promise<void>) => work() } = context
    await withLock(() => insertAccount(deps, caller, context, row, verified))
    return serializeAccount(row)
  }
  const sender = getSender(caller, context.pageSessionId)
  return verifyCredentials(deps, workspaceId, prepared, onVerified, { sender })
}

/** Serializable: the definition must still be alive, and the link open, when the account is there. */
async function insertAccount(
  deps: CreateVerifiedAccountDeps,
  caller: AccessScope & Actor,
  context: CreateAccountContext,
  row: AccountRow,
  verified: CheckedConfig,
): Promise<void> {
  const { definition_id: definitionId } = row
  await deps.database.transaction(
    async (trx) => {
      await context.assertAllowed(trx, row)
      await requireDefinition(deps, trx, caller, context.workspaceId, definitionId)
      await deps.accounts.insert(trx, row)
      await verified.deleteStoredTokens(trx)
      await recordAudit(trx, caller, row.created_at, {
        action: 'account.created',
        workspaceId: context.workspaceId,
        subject: row.account_id,
        detail: { definitionId, linkId: context.linkId, authType: row.auth_type },
      })
    },
    { serializable: true },
  )
}

/** The columns of an account whose credentials Linchpin does not refresh. */
export const NON_REFRESHABLE_DEFAULTS = {
  status: 'active',
  status_reason: null,
  oauth_app_id: null,
  token_expires_at: null,
  token_life_ms: null,
  sealed_headers: null,
  renew_at: null,
  renew_failures: 0,
  lease_owner: null,
  lease_until: null,
  renewal_sent_at: null,
  revoking_until: null,
  identity_id: null,
  confirm_hash: null,
  confirm_until: null,
} as const

async function newAccountRow(
  deps: CreateVerifiedAccountDeps,
  context: CreateAccountContext,
  input: CreateAccountThroughLink,
  { config, fields, expiresAt }: PreparedConfig & NewestConfig,
): Promise<AccountRow> {
  const now = deps.now()
  const ids = { workspace_id: context.workspaceId, account_id: newId('acc', now) }
  return {
    ...ids,
    definition_id: input.integrationDefinitionId,
    link_id: context.linkId,
    name: input.integrationAccountName,
    auth_type: input.authType,
    account_identifier: input.accountIdentifier ?? null,
    public_config: JSON.stringify(redactConfig(config, fields)),
    sealed_config: await deps.vault.seal(encryptionContext(ids), JSON.stringify(config)),
    credential_version: 1,
    ...NON_REFRESHABLE_DEFAULTS,
    token_expires_at: expiresAt,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
}
