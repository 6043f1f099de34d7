import { getJwtExpiry } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import { type OAuthType, parseOAuthType } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import { TemplateError } from '../../integrations/oauth/template/template-value.ts'
import { fillUrlTemplate } from '../../integrations/oauth/template/url-template.ts'
import {
  guardSecret,
  type OAuthClient,
  withClientCredentials,
} from '../../integrations/oauth/token/client-request.ts'
import { loadOAuthClient } from '../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthApp } from '../../integrations/oauth-apps/oauth-app.ts'
import { ApiError, fieldError, validationFailed } from '../../platform/errors.ts'
import type { CreateAccountDeps } from './create-account.ts'
import {
  listConfigFields,
  type PreparedConfig,
  prepareConfig,
} from './credentials/account-config.ts'
import { listPromptFields } from './credentials/list-prompt-fields.ts'
import { trimConfig } from './credentials/validate-config.ts'
import type { ImportAccount } from './schemas/import-request.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'

export interface ImportAccountDeps extends CreateAccountDeps, RefreshDeps {}

/** An import whose fields and references are valid. */
export interface PlannedImport {
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
    const config = input.config ?? {}
    const prepared = await prepareConfig(deps, definition, authType, config, { workspaceId })
    return { ...times, config: prepared.config, prepared, oauth: undefined }
  }
  const fields = listConfigFields(definition.spec, authType)
  const config = trimConfig(fields, mergeTokens(input))
  const app = await requireApp(deps, caller, definition, workspaceId)
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
): Promise<OAuthApp> {
  const { read } = deps.database
  const app = await deps.oauthApps.findForDefinition(read, caller, workspaceId, definitionId)
  if (app !== undefined) return app
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
