import { getJwtExpiry } from '@linchpin/runner'
import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { CHECK_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace } from '../../access/workspaces/workspace-store.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import { requireDefinition } from '../../integrations/definitions/find-definition.ts'
import { type OAuthType, parseOAuthType } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import { fillUrlTemplate, TemplateError } from '../../integrations/oauth/template.ts'
import {
  guardSecret,
  type OAuthClient,
  withClientCredentials,
} from '../../integrations/oauth/token/client-request.ts'
import { loadOAuthClient } from '../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthApp, OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { selectIssuingApp } from '../../integrations/oauth-apps/select-oauth-app.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import { IdOf, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { deriveId, type Id } from '../../platform/storage/id.ts'
import {
  type AccountId,
  acceptedAt,
  describeAccountChange,
  IntegrationAccount,
  type NewAccount,
  NON_REFRESHABLE_DEFAULTS,
  toNewAccount,
  UNCHECKED,
} from './account.ts'
import { type CreateAccountDeps, toAccountFields } from './create-account.ts'
import {
  createEncryptionContext,
  listConfigFields,
  type PreparedConfig,
  prepareConfig,
  redactConfig,
} from './credentials/account-config.ts'
import { listPromptFields } from './credentials/list-prompt-fields.ts'
import { trimConfig } from './credentials/validate-config.ts'
import { CreateAccount } from './schemas.ts'
import { getConfigString, getRefreshedWith } from './token-refresh/grant.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'
import { getTokenTiming } from './token-refresh/refresh-schedule.ts'
import { fetchTokens } from './token-refresh/request-token.ts'
import { type CheckedConfig, checkConfig, getSender } from './verification/check-config.ts'

const token = (description: string) => Type.String({ minLength: 1, maxLength: 16_384, description })

const ImportedTokens = StrictObject({
  accessToken: OptionalField(
    token('The access token. Without one, the first use fetches one with the refresh token.'),
  ),
  refreshToken: OptionalField(token('The refresh token. Nothing else may refresh it from now on.')),
  tokenType: OptionalField(
    Type.String({ minLength: 1, maxLength: 64, description: 'Default: `Bearer`.' }),
  ),
  scope: OptionalField(
    Type.String({
      maxLength: 8_192,
      description: 'The scopes that the provider granted, as it returned them.',
    }),
  ),
  expiresAt: OptionalField(
    Type.String({
      format: 'date-time',
      description: 'When the access token expires. Absent: unknown.',
    }),
  ),
})

/** The request body of Import integration account. */
export const ImportAccount = StrictObject(
  {
    ...CreateAccount.properties,
    externalId: Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        'Its identifier in the system that it comes from, such as `nango:github/customer-17`. A workspace has at most one account for each.',
    }),
    config: OptionalField({
      ...CreateAccount.properties.config,
      description: 'The fields that the spec asks for. Tokens belong into `tokens`.',
    }),
    tokens: OptionalField(
      Type.Unsafe<Static<typeof ImportedTokens>>({
        ...ImportedTokens,
        description: 'The tokens of an auth type with OAuth sign-in; for no other.',
      }),
    ),
    integrationOAuthAppId: OptionalField(
      IdOf<OAuthAppId>({
        maxLength: 64,
        description:
          "The OAuth app whose client the tokens were issued to. Default: the customer's own app, else the default app.",
      }),
    ),
    createdAt: OptionalField(
      Type.String({
        format: 'date-time',
        description: 'When the account was connected. Default: now.',
      }),
    ),
    check: OptionalField(
      Type.Boolean({
        description:
          'Whether to check the credentials first, and to store them only if they work. Default: false.',
      }),
    ),
  },
  {
    $id: 'ImportAccount',
    examples: [
      {
        externalId: 'nango:github/customer-17',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationAccountName: 'Customer 17',
        authType: 'OAuth2',
        tokens: {
          accessToken: 'gho_example',
          refreshToken: 'ghr_example',
          expiresAt: '2026-11-23T18:00:00.000Z',
        },
        accountIdentifier: 'customer-17',
        createdAt: '2025-03-01T09:30:00.000Z',
      },
    ],
  },
)

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
    'choice_required',
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
 * from `externalId` (122 bits of a SHA-256): the workspace has at most one account for each, so that a repeated import returns the
 * stored account, or its tombstone, and changes nothing. An `Idempotency-Key` would be too short: a second account with the same
 * refresh token can end the grant at the provider, and operators continue an interrupted migration days later.
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
    ...(checked === undefined ? {} : acceptedAt(now)),
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
    ...(checked !== undefined && { facts: checked.facts }),
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
  const isNeverRefreshed = oauth !== undefined && getRefreshedWith(config, oauth.type) === undefined
  return isNeverRefreshed ? 'no_refresh_token' : null
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
    ...getTokenTiming(now, expiry, null, getRefreshedWith(config, oauth.type)),
    // The remaining lifetime is not the token's TTL.
    ...(checked?.isRefreshed ? {} : { tokenTtlMs: null }),
  }
}

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
export type ImportAccount = Static<typeof ImportAccount>

export interface ImportAccountDeps extends CreateAccountDeps, RefreshDeps {}

/** An import whose fields and references are valid. */
interface PlannedImport {
  /** The configuration to store. */
  readonly config: Readonly<Record<string, unknown>>
  /** The same as the bundle receives it: with the client of the OAuth app. */
  readonly prepared: PreparedConfig
  /** Undefined for an auth type without OAuth sign-in. */
  readonly oauth: ImportedGrant | undefined
  /** When the access token expires; undefined if unknown. */
  readonly expiresAt: number | undefined
  readonly createdAt: number | undefined
}

interface ImportedGrant {
  readonly type: OAuthType
  readonly app: OAuthApp
  readonly client: OAuthClient
}

/**
 * Validates an import. An auth type with OAuth sign-in needs tokens, and an OAuth app that refreshes them.
 *
 * @throws ApiError `auth_type_not_allowed`, `oauth_app_missing`; `validation_failed`, which names the field
 */
export async function planImport(
  deps: ImportAccountDeps,
  caller: Caller,
  definition: Definition,
  workspaceId: WorkspaceId,
  input: ImportAccount,
): Promise<PlannedImport> {
  const { authType, tokens } = input
  const createdAt = parsePastTime(input.createdAt, deps.now())
  const expiresAt =
    tokens?.expiresAt == null
      ? getJwtExpiry(tokens?.accessToken ?? '')
      : Date.parse(tokens.expiresAt)
  const times = { createdAt, expiresAt }
  const type = parseOAuthType(definition.spec, authType)
  if (type === undefined) {
    if (tokens != null)
      throw invalid('tokens', 'unexpected', 'This auth type has no OAuth sign-in.')
    if (input.integrationOAuthAppId != null)
      throw invalid('integrationOAuthAppId', 'unexpected', 'This auth type has no OAuth sign-in.')
    const config = input.config ?? {}
    const prepared = await prepareConfig(deps, definition, authType, config, { workspaceId })
    return {
      ...times,
      config: { ...prepared.config, ...prepared.selectedFacts },
      prepared,
      oauth: undefined,
    }
  }
  if (type.discoveredFrom !== undefined)
    throw invalid(
      'authType',
      'not_allowed',
      'Tokens of an MCP server are those of the client that has signed in there. Have the customer connect again.',
    )
  const fields = listConfigFields(definition.spec, authType)
  const config = trimConfig(fields, mergeTokens(input))
  const app = await requireApp(deps, caller, definition, workspaceId, input)
  assertEndpointFilled(type, { ...config, client_id: app.clientId })
  const client = await loadOAuthClient(deps, app)
  const prepared = await prepareConfig(
    deps,
    definition,
    authType,
    withClientCredentials(config, client),
    {
      workspaceId,
      selectFields: (fields) => listPromptFields(fields, type),
    },
  )
  const oauth = { type, app, client }
  return { ...times, config, prepared: { ...prepared, secret: guardSecret(client) }, oauth }
}

function parsePastTime(text: string | null | undefined, now: number): number | undefined {
  if (text == null) return undefined
  const time = Date.parse(text)
  if (time > now + CLOCK_SKEW_MS)
    throw invalid('createdAt', 'invalid', 'Must not be in the future.')
  return Math.min(time, now)
}

/** The stored form of an OAuth account. */
function mergeTokens({ config, tokens }: ImportAccount): Record<string, unknown> {
  const reserved = RESERVED.find((name) => config != null && Object.hasOwn(config, name))
  if (reserved !== undefined)
    throw invalid(`config.${reserved}`, 'unexpected', RESERVED_MESSAGES[reserved])
  const { accessToken, refreshToken, tokenType, scope } = tokens ?? {}
  if (accessToken == null && refreshToken == null)
    throw invalid('tokens', 'required', 'Needs accessToken, refreshToken or both.')
  const { authType: _ignored, ...fields } = config ?? {}
  return {
    ...fields,
    token_type: tokenType ?? 'Bearer',
    ...(scope == null ? {} : { scope }),
    ...(accessToken == null ? {} : { access_token: accessToken }),
    ...(refreshToken == null ? {} : { refresh_token: refreshToken }),
  }
}

/** The client that refreshes the tokens: the one that the other system used. */
async function requireApp(
  deps: ImportAccountDeps,
  caller: Caller,
  { definitionId, name }: Definition,
  workspaceId: WorkspaceId,
  input: ImportAccount,
): Promise<OAuthApp> {
  const { read } = deps.database
  const ids = { workspaceId, definitionId }
  const { accountIdentifier = null, integrationOAuthAppId: requestedId } = input
  const candidates = await deps.oauthApps.listCandidates(read, caller, ids, accountIdentifier)
  const app = selectIssuingApp(candidates, { requestedId })
  if (app !== undefined) return app
  if (requestedId != null) throw unknownReference('integrationOAuthAppId')
  throw new ApiError(
    'oauth_app_missing',
    `This workspace has no OAuth app for ${name}. Send the client ID and secret that the tokens were issued to to POST /v1/integration_oauth.`,
    {
      errors: fieldError(
        'integrationDefinitionId',
        'oauth_app_missing',
        'This definition has no OAuth app.',
      ),
    },
  )
}

/** The refresh endpoint may need fields that forms leave out, such as those of the callback. */
function assertEndpointFilled(type: OAuthType, values: Readonly<Record<string, unknown>>): void {
  try {
    fillUrlTemplate(type.refreshUrl, values, type.templateFields)
  } catch (error) {
    if (!(error instanceof TemplateError) || error.field === undefined) return
    throw invalid(`config.${error.field}`, 'invalid', error.message)
  }
}

const invalid = (field: string, code: string, message: string) =>
  validationFailed(fieldError(field, code, message))

const RESERVED = ['access_token', 'refresh_token', 'client_id', 'client_secret'] as const
const IN_TOKENS = 'Send it in tokens.'
const OF_APP = 'The OAuth app of the definition has it.'
const RESERVED_MESSAGES: Readonly<Record<(typeof RESERVED)[number], string>> = {
  access_token: IN_TOKENS,
  refresh_token: IN_TOKENS,
  client_id: OF_APP,
  client_secret: OF_APP,
}

/** The difference to expect between synchronized clocks. */
const CLOCK_SKEW_MS = 60_000
