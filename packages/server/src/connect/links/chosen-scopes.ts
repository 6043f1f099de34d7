import Type from 'typebox'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { Definition, DefinitionId } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import {
  getDefaultOAuthType,
  listOAuthTypes,
} from '../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  type AppScopes,
  listKnownScopes,
  NO_SCOPES,
  SCOPE_TOKEN,
  type ScopesByDefinition,
} from '../../integrations/oauth/spec/scopes.ts'
import type { OAuthAppStore } from '../../integrations/oauth-apps/oauth-app-store.ts'
import {
  createAppSelector,
  type OAuthAppQuestion,
} from '../../integrations/oauth-apps/select-oauth-app.ts'
import { ApiError, type FieldErrors, fieldError, unknownReference } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { LinkPolicy } from './link.ts'
import { requireAllowedDefinition } from './link-policy.ts'

/** `scopes` in requests. */
export const ChosenScopesInput = (description: string) =>
  Type.Unsafe<Record<string, string[]>>({
    type: 'object',
    maxProperties: 100,
    patternProperties: {
      '^[^\\s]{1,255}$': {
        type: 'array',
        maxItems: 100,
        items: { type: 'string', minLength: 1, maxLength: 255, pattern: SCOPE_TOKEN },
      },
    },
    additionalProperties: false,
    description: `${description} At most 100 each, by the ID or key of the definition; of those of the integration, and of \`scopes\` and \`optionalScopes\` of its OAuth app.`,
  })

export interface ResolveScopesDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly oauthApps: OAuthAppStore
}

/** What the scopes are for. */
export interface ScopesTarget {
  /** The only definitions that may be named; empty: all that the policy allows. */
  readonly definitionIds: readonly DefinitionId[]
  /** Whose own OAuth apps may be used; null: no customer's. */
  readonly accountIdentifier: string | null
  /** What decides which OAuth app a definition has. */
  readonly question: OAuthAppQuestion
  /** Whether they are added to what an account has, so that those that the integration requires may be omitted. */
  readonly isAddition: boolean
  /** Further scopes that may be requested: those that requests of the account needed. */
  readonly needed?: readonly string[] | undefined
}

/**
 * The scopes in a request, by the IDs of their definitions.
 *
 * @throws ApiError `unknown_reference`, `auth_type_not_allowed` naming a definition; `scope_not_allowed` naming each scope that
 * neither its integration nor its OAuth app has, and each definition without a scope that its integration requires
 */
export async function resolveChosenScopes(
  deps: ResolveScopesDeps,
  caller: WorkspaceAccess,
  policy: LinkPolicy,
  input: Readonly<Record<string, readonly string[]>>,
  { definitionIds, accountIdentifier, question, isAddition, needed = [] }: ScopesTarget,
): Promise<ScopesByDefinition> {
  const chosen = new Map<DefinitionId, readonly string[]>()
  const errors: FieldErrors = {}
  const { workspaceId } = policy
  const selectApp = createAppSelector(
    await deps.oauthApps.listCandidatesByDefinition(caller, workspaceId, accountIdentifier),
    question,
  )
  for (const [reference, scopes] of Object.entries(input)) {
    const field = `scopes.${reference}`
    const definition = await requireDefinition(deps, caller, policy, reference)
    const { definitionId } = definition
    if (definitionIds.length > 0 && !definitionIds.includes(definitionId))
      throw unknownReference(field)
    const found = selectApp(definitionId) ?? NO_SCOPES
    const app = { ...found, optionalScopes: [...found.optionalScopes, ...needed] }
    Object.assign(errors, findErrors(field, definition, app, scopes, isAddition))
    chosen.set(definitionId, [...new Set(scopes)])
  }
  if (Object.keys(errors).length > 0) throw createNotAllowedError(errors)
  return Object.fromEntries(chosen)
}

async function requireDefinition(
  deps: ResolveScopesDeps,
  caller: WorkspaceAccess,
  policy: LinkPolicy,
  reference: string,
): Promise<Definition> {
  try {
    return await requireAllowedDefinition(deps, caller, policy, reference)
  } catch (error) {
    if (error instanceof ApiError) throw unknownReference(`scopes.${reference}`)
    throw error
  }
}

/** @throws ApiError `auth_type_not_allowed` */
function findErrors(
  field: string,
  { spec }: Definition,
  app: AppScopes,
  scopes: readonly string[],
  isAddition: boolean,
): FieldErrors {
  const types = listOAuthTypes(spec).map(({ type }) => type)
  if (types.length === 0) throw createNoSignInError(field)
  const known = new Set(types.flatMap((type) => listKnownScopes(type, app)))
  const unknown = scopes.flatMap((scope, index) =>
    known.has(scope) ? [] : [fieldError(`${field}.${index}`, 'not_allowed', UNKNOWN_SCOPE)],
  )
  const required = isAddition ? [] : (getDefaultOAuthType(spec)?.type.requiredScopes ?? [])
  const missing = required.filter((scope) => !scopes.includes(scope))
  if (missing.length === 0) return Object.assign({}, ...unknown)
  const message = `The integration needs these scopes to check a connection: ${missing.join(', ')}.`
  return Object.assign({}, ...unknown, fieldError(field, 'required', message))
}

const UNKNOWN_SCOPE =
  'Neither the integration nor its OAuth app has this scope. Add it to optionalScopes of the app.'

function createNotAllowedError(errors: FieldErrors): ApiError {
  return new ApiError('scope_not_allowed', 'Some scopes cannot be requested. See errors.', {
    errors,
  })
}

/** The accounts of this tool do not sign in at a provider, so they have no scopes. */
export function createNoSignInError(field: string): ApiError {
  const message = 'There is no sign-in, so that no scopes can be requested.'
  return new ApiError('auth_type_not_allowed', `${field}: ${message}`, {
    errors: fieldError(field, 'not_allowed', message),
  })
}
