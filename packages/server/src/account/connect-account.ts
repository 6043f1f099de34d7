import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Reach } from '../caller/caller.ts'
import type { DefinitionStore } from '../definition/definition-store.ts'
import { referencedDefinition } from '../definition/referenced-definition.ts'
import { newId } from '../storage/id.ts'
import type { AccountRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { AccountStore } from './account-store.ts'
import type { CheckConfigDeps, CheckedConfig, NewestConfig } from './check/check-config.ts'
import { proveConfig } from './check/prove-config.ts'
import { senderOf } from './check/rotation-binding.ts'
import type { JudgeConfig } from './config/judge-config.ts'
import { type PreparedConfig, prepareConfig } from './config/prepare-config.ts'
import { publicConfig } from './config/public-config.ts'
import { sealedPlace } from './config/sealed-config.ts'
import type { IntegrationAccount } from './wire/account.ts'
import { toAccount } from './wire/account-answer.ts'
import type { CreateAccountThroughLink } from './wire/account-requests.ts'

export interface ConnectAccountDeps extends CheckConfigDeps {
  readonly definitions: DefinitionStore
  readonly accounts: AccountStore
  readonly judgeConfig: JudgeConfig
}

/** Where an account is added, and what the way in asks for. */
export interface ConnectPlace {
  readonly workspaceId: string
  readonly linkId: string | null
  readonly oauthOnly: boolean
  /** Runs in the transaction that stores the account; throws when the way in has closed meanwhile. */
  readonly admit: (trx: Transaction, account: AccountRow) => Promise<void>
  /** Runs the storing transaction: a way in that counts lets one after another. */
  readonly inTurn?: ((store: () => Promise<void>) => Promise<void>) | undefined
  /** The visit of a link that sends the configuration. */
  readonly visit?: string | undefined
  /** Names the account once its configuration was accepted. Absent: the name that was given. */
  readonly name?: ((accepted: PreparedConfig) => Promise<string>) | undefined
}

/**
 * Adds an account, once its credentials have been proven to work: one way in, for the API and for links.
 *
 * @throws ApiError `unknown_reference`, `auth_type_not_allowed`, `validation_failed`, `credentials_rejected`,
 * `provider_error`, `provider_timeout`, `integration_…`
 */
export async function connectAccount(
  deps: ConnectAccountDeps,
  caller: Reach & Actor & { readonly scopes?: ReadonlySet<string> },
  place: ConnectPlace,
  input: CreateAccountThroughLink,
): Promise<IntegrationAccount> {
  const definitionId = input.integrationDefinitionId
  const { read } = deps.database
  const { workspaceId } = place
  const definition = await referencedDefinition(deps, read, caller, workspaceId, definitionId)
  const prepared = await prepareConfig(
    deps.judgeConfig,
    definition,
    input.authType,
    input.config,
    place,
  )
  const use = async (proven: CheckedConfig) => {
    const name = (await place.name?.(proven.identitySubject())) ?? input.integrationAccountName
    const named = { ...input, integrationAccountName: name }
    const row = await newAccountRow(deps, place, named, { ...prepared, ...(await proven.newest()) })
    const { inTurn = (work: () => Promise<void>) => work() } = place
    await inTurn(() => store(deps, caller, place, row, proven))
    return toAccount(row)
  }
  const sender = senderOf(caller, place.visit)
  return proveConfig(deps, workspaceId, prepared, use, { sender })
}

/** Serializable: the definition must still be alive, and the link open, when the account is there. */
async function store(
  deps: ConnectAccountDeps,
  caller: Reach & Actor,
  place: ConnectPlace,
  row: AccountRow,
  proven: CheckedConfig,
): Promise<void> {
  const { definition_id: definitionId } = row
  await deps.database.transaction(
    async (trx) => {
      await place.admit(trx, row)
      await referencedDefinition(deps, trx, caller, place.workspaceId, definitionId)
      await deps.accounts.insert(trx, row)
      await proven.forget(trx)
      await recordAudit(trx, caller, row.created_at, {
        action: 'account.created',
        workspaceId: place.workspaceId,
        subject: row.account_id,
        detail: { definitionId, linkId: place.linkId, authType: row.auth_type },
      })
    },
    { serializable: true },
  )
}

/** The columns of an account whose credentials nobody has to renew. */
export const UNRENEWED = {
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
  deps: ConnectAccountDeps,
  place: ConnectPlace,
  input: CreateAccountThroughLink,
  { config, fields, expiresAt }: PreparedConfig & NewestConfig,
): Promise<AccountRow> {
  const now = deps.now()
  const ids = { workspace_id: place.workspaceId, account_id: newId('acc', now) }
  return {
    ...ids,
    definition_id: input.integrationDefinitionId,
    link_id: place.linkId,
    name: input.integrationAccountName,
    auth_type: input.authType,
    account_identifier: input.accountIdentifier ?? null,
    public_config: JSON.stringify(publicConfig(config, fields)),
    sealed_config: await deps.vault.seal(sealedPlace(ids), JSON.stringify(config)),
    credential_version: 1,
    ...UNRENEWED,
    token_expires_at: expiresAt,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
}
