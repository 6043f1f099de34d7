import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { CHECK_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { requireDefinition } from '../../integrations/definitions/find-definition.ts'
import { unknownReference } from '../../platform/errors.ts'
import type { ConnectAttempt } from '../../platform/record/attempt.ts'
import type { Actor } from '../../platform/record/change.ts'
import { insertAttempt, record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import {
  acceptedAt,
  describeAccountChange,
  IntegrationAccount,
  type NewAccount,
  NON_REFRESHABLE_DEFAULTS,
  toNewAccount,
} from './account.ts'
import { type RecordAttemptDeps, recordFailedApiAttempt } from './account-records.ts'
import type { AccountStore } from './account-store.ts'
import {
  createEncryptionContext,
  type PrepareConfigDeps,
  prepareConfig,
  redactConfig,
} from './credentials/account-config.ts'
import { CreateAccount, type CreateAccountThroughLink } from './schemas.ts'
import {
  type CheckConfigDeps,
  type CheckedConfig,
  checkConfig,
  getSender,
} from './verification/check-config.ts'
import type { FactSelection } from './verification/run-check.ts'

export interface CreateAccountDeps extends VerifyAccountDeps, InsertAccountDeps, RecordAttemptDeps {
  readonly vault: Vault
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
}

export const createAccountOperation = defineOperation({
  id: 'createAccount',
  sdk: 'accounts.create',
  method: 'POST',
  path: '/v1/integration_account',
  tag: 'Integration accounts',
  summary: 'Create an integration account',
  description: 'Verifies the credentials first and stores them, encrypted, only if they work.',
  scope: 'accounts:write',
  body: CreateAccount,
  status: 201,
  response: IntegrationAccount,
  returns: 'The account.',
  errors: [...CHECK_ERRORS, 'choice_required', 'credentials_rejected', 'unknown_reference'],
  audit: 'account.created',
  config: { rate: 'bundle' },
  handle: (deps: CreateAccountDeps, caller, { body }) => createAccount(deps, caller, body),
})

/**
 * Creates an account after its credentials have been verified (interface: Create integration account). Returns the account
 * as JSON.
 *
 * @throws ApiError `workspace_not_accessible`, `unknown_reference`; as `verifyAccount`
 */
export async function createAccount(
  deps: CreateAccountDeps,
  caller: Caller,
  input: CreateAccount,
): Promise<string> {
  const { database } = deps
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const definitionId = input.integrationDefinitionId
  const definition = await requireDefinition(deps, database.read, caller, workspaceId, definitionId)
  const target = { definition, workspaceId }
  try {
    await using verified = await verifyAccount(deps, caller, target, input)
    const account = await createAccountRecord(deps, verified, input)
    const created = await database.transaction(
      async (trx) => {
        const response = await insertAccount(deps, trx, caller, account, verified)
        await insertAttempt(trx, caller, account.createdAt, describeAttempt(account, verified))
        return response
      },
      { serializable: true },
    )
    deps.attemptCounts.add({ workspaceId, definition, ...CONNECTED_BY_CREDENTIALS })
    return created
  } catch (error) {
    await recordFailedApiAttempt(deps, caller, target, input, error)
    throw error
  }
}

function describeAttempt(
  { workspaceId, definitionId, authType, accountId, accountIdentifier }: NewAccount,
  { outcome }: CheckedConfig,
): ConnectAttempt {
  return {
    workspaceId,
    definitionId,
    authType,
    accountId,
    accountIdentifier,
    linkId: null,
    connectSessionId: null,
    via: 'api',
    outcome: 'connected',
    code: null,
    providerStatus: outcome.lastStatus ?? null,
    providerRequestId: outcome.lastRequestId ?? null,
  }
}

/** How metrics count an account whose credentials were sent. */
export const CONNECTED_BY_CREDENTIALS = {
  method: 'credentials',
  outcome: 'connected',
  code: null,
} as const

export interface VerifyAccountDeps extends CheckConfigDeps, PrepareConfigDeps {}

/** Who creates an account: a caller of the API, or a visitor of a link, who has no token and no scopes. */
export type AccountCreator = WorkspaceAccess &
  Actor & {
    readonly scopes?: ReadonlySet<string>
    /** The connect session of the visitor. */
    readonly connectSessionId?: Id<'cns'> | undefined
  }

/** Where a new account belongs. */
export interface AccountTarget {
  readonly definition: Definition
  readonly workspaceId: WorkspaceId
  readonly linkId?: Id<'lnk'>
  /** Rejects auth types without OAuth sign-in. */
  readonly oauthOnly?: boolean
  /** The page session of the link that sends the configuration. */
  readonly pageSessionId?: string | undefined
  /** The facts of the account whose credentials are replaced, and whether its person may change them. */
  readonly facts?: Omit<FactSelection, 'selected'>
  /** Finds out who the provider's user is. */
  readonly withIdentity?: boolean
}

/**
 * The first phase of creating an account: validates the input and verifies the credentials by CHECK. No other request can
 * use the refresh tokens until the result is disposed of.
 *
 * @throws ApiError `auth_type_not_allowed`, `validation_failed`, `credentials_rejected`, `provider_error`,
 * `provider_timeout`, `egress_unavailable`, `refresh_in_progress`, `secret_required`, `integration_…`
 */
export async function verifyAccount(
  deps: VerifyAccountDeps,
  caller: AccountCreator,
  target: AccountTarget,
  { authType, config }: Pick<CreateAccountThroughLink, 'authType' | 'config'>,
): Promise<CheckedConfig> {
  const prepared = await prepareConfig(deps, target.definition, authType, config, target)
  const sender = getSender(caller, target.pageSessionId)
  const { withIdentity = false } = target
  const facts = { ...target.facts, selected: prepared.selectedFacts }
  return checkConfig(deps, prepared, { sender, withIdentity, facts, mustBeAccepted: true })
}

/** The account that verified credentials make, with the newest tokens that CHECK obtained. */
export async function createAccountRecord(
  deps: { readonly vault: Vault; readonly now: () => number },
  { prepared, config, expiresAt, identity, facts }: CheckedConfig,
  input: AccountFields,
): Promise<NewAccount> {
  const { authType, definitionId, fields, tenant } = prepared
  const now = deps.now()
  const ids = { workspaceId: tenant.workspaceId, accountId: newId('acc', now) }
  const sealedConfig = await deps.vault.seal(createEncryptionContext(ids), JSON.stringify(config))
  const publicConfig = redactConfig(config, fields)
  return toNewAccount({
    ...ids,
    ...toAccountFields(input),
    ...NON_REFRESHABLE_DEFAULTS,
    ...acceptedAt(now),
    definitionId,
    linkId: tenant.linkId,
    authType,
    publicConfig,
    sealedConfig,
    credentialVersion: 1,
    identityId: identity.id,
    identityLabel: identity.label,
    facts,
    tokenExpiresAt: expiresAt,
    createdAt: now,
    updatedAt: now,
  })
}

/** What a request says about an account besides its credentials. */
type AccountFields = Omit<
  CreateAccountThroughLink,
  'integrationDefinitionId' | 'authType' | 'config'
>

/** The members of an account that a request sets. */
export function toAccountFields(input: AccountFields) {
  return {
    name: input.integrationAccountName,
    accountIdentifier: input.accountIdentifier,
    tags: input.tags ?? {},
  }
}

export interface InsertAccountDeps {
  readonly accounts: AccountStore
  readonly rotations: CheckConfigDeps['rotations']
}

/**
 * The second phase of creating an account: inserts a verified account, and returns it as JSON. Call it in a serializable
 * transaction, because the definition must still be live when the account is committed.
 *
 * @throws ApiError `unknown_reference`
 */
export async function insertAccount(
  deps: InsertAccountDeps,
  trx: Transaction,
  caller: AccountCreator,
  account: NewAccount,
  { prepared, rotatedTokens }: CheckedConfig,
): Promise<string> {
  const { definitionId, linkId, authType } = account
  const connectSessionId = caller.connectSessionId ?? null
  const response = await deps.accounts.insertIfDefinitionLive(trx, account)
  if (response === undefined) throw unknownReference('integrationDefinitionId')
  if (rotatedTokens.length > 0) await deps.rotations.delete(trx, prepared, rotatedTokens)
  const created: IntegrationAccount = JSON.parse(response)
  await record(trx, caller, account.createdAt, {
    action: 'account.created',
    detail: { definitionId, linkId, authType },
    ...describeAccountChange(created, 'account.created', { connectSessionId }),
    response,
  })
  return response
}
