import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { AuthKind, AuthKindReader } from '../definitions/auth-kinds.ts'
import type { DefinitionSummary } from '../definitions/definition.ts'
import type { DefinitionListFilter } from '../definitions/definition-list-store.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import { createAppSelector, type OAuthAppQuestion } from './select-oauth-app.ts'

export interface FindMissingOAuthAppsDeps {
  readonly definitions: DefinitionStore
  readonly oauthApps: OAuthAppStore
  readonly readAuthKinds: AuthKindReader
}

interface OfferedAuthTypes<T> {
  /** Those that the link accepts. */
  readonly accepted: readonly T[]
  /** Those of them that can be used now. */
  readonly available: readonly T[]
}

interface AuthTypeQuestion {
  readonly oauthOnly: boolean
  readonly hasApp: boolean
  /** Whether only the customer's own app may be used. */
  readonly requiresCustomerApp?: boolean | undefined
}

/**
 * Selects the auth types that a link offers: with `oauthOnly` it accepts no credentials, and sign-in needs an OAuth app unless it finds
 * its client.
 */
export function selectAuthTypes<T extends { readonly kind: AuthKind; readonly findsClient?: true }>(
  types: readonly T[],
  { oauthOnly, hasApp, requiresCustomerApp = false }: AuthTypeQuestion,
): OfferedAuthTypes<T> {
  const accepted = types.filter(({ kind }) => !oauthOnly || kind === 'sign_in')
  const available = accepted.filter(
    ({ kind, findsClient }) =>
      hasApp || kind === 'credentials' || (findsClient === true && !requiresCustomerApp),
  )
  return { accepted, available }
}

/** Whether nothing is missing but an OAuth app. */
export function isOAuthAppMissing({ accepted, available }: OfferedAuthTypes<unknown>): boolean {
  return accepted.length > 0 && available.length === 0
}

/**
 * The IDs of the definitions that cannot be connected, except by customers with an app of their own, until their workspace has
 * an OAuth app for them, in the order of `definitions`, which match `filter`.
 */
export async function findMissingOAuthApps(
  deps: FindMissingOAuthAppsDeps,
  access: WorkspaceAccess,
  filter: DefinitionListFilter,
  definitions: readonly DefinitionSummary[],
  { oauthOnly, ...question }: OAuthAppQuestion & { readonly oauthOnly: boolean },
): Promise<string[]> {
  const authTypes = await deps.readAuthKinds(definitions, () =>
    deps.definitions.listWithSpecs(access, filter),
  )
  const needingApp = definitions.filter(({ bundleSha256 }) =>
    isOAuthAppMissing(
      selectAuthTypes(authTypes.get(bundleSha256) ?? [], {
        oauthOnly,
        hasApp: false,
        requiresCustomerApp: question.requiresCustomerApp,
      }),
    ),
  )
  if (needingApp.length === 0) return []
  const { workspaceId } = filter
  const candidates = await deps.oauthApps.listCandidatesByDefinition(access, workspaceId, null)
  const selectApp = createAppSelector(candidates, question)
  return needingApp
    .map(({ definitionId }) => definitionId)
    .filter((id) => selectApp(id) === undefined)
}
