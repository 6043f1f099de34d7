import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { ACME_SANDBOX_ID } from '../catalogue/offered-integration.ts'
import type { AuthKind, AuthKindReader } from '../definitions/auth-kinds.ts'
import type { DefinitionId, DefinitionSummary } from '../definitions/definition.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import type { DefinitionListFilter } from '../definitions/visible-definitions-store.ts'
import { type AppScopes, NO_SCOPES } from '../oauth/spec/scopes.ts'
import type { OAuthApp, OAuthAppId } from './oauth-app.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'

/** What decides which OAuth app of a definition a connection uses. */
export interface OAuthAppQuestion {
  /** The app that a start, a session or a link names. */
  readonly requestedId?: OAuthAppId | null | undefined
  /** The app of the account that is reconnected. */
  readonly accountAppId?: OAuthAppId | null | undefined
  /** Whether only the customer's own app may be used. */
  readonly requiresCustomerApp?: boolean | undefined
}

/**
 * Selects the OAuth app of a connection. The first that applies:
 *
 * 1. the app that a start, a session or a link names, and no other
 * 2. on a reconnect, that of the account
 * 3. the customer's own app
 * 4. the default app of the workspace
 *
 * In place of an app with a successor, the successor is used.
 *
 * @param candidates the apps of the definition that the customer may use, as `listCandidates` returns them
 */
export function selectOAuthApp(
  candidates: readonly OAuthApp[],
  question: OAuthAppQuestion,
): OAuthApp | undefined {
  const chosen = selectIssuingApp(candidates, question)
  return chosen && followSuccessors(candidates, chosen)
}

/**
 * The same before successors: the app whose client existing tokens were issued to. A successor must never receive them, because
 * a refresh token works with its own client only (RFC 6749 section 6).
 */
export function selectIssuingApp(
  candidates: readonly OAuthApp[],
  { requestedId, accountAppId, requiresCustomerApp = false }: OAuthAppQuestion,
): OAuthApp | undefined {
  const allowed = candidates.filter((app) => !requiresCustomerApp || isOfCustomer(app))
  const find = (appId: OAuthAppId | null | undefined) =>
    allowed.find(({ oauthAppId }) => oauthAppId === appId)
  if (requestedId != null) return find(requestedId)
  return (
    find(accountAppId) ?? allowed.find(isOfCustomer) ?? allowed.find(({ isDefault }) => isDefault)
  )
}

const isOfCustomer = ({ accountIdentifier }: OAuthApp) => accountIdentifier !== null

/** Updates allow no cycles; should there be one, the last app before it is used. */
function followSuccessors(candidates: readonly OAuthApp[], first: OAuthApp): OAuthApp {
  const seen = new Set([first.oauthAppId])
  let app = first
  while (true) {
    const next = candidates.find(({ oauthAppId }) => oauthAppId === app.successorId)
    if (next === undefined || seen.has(next.oauthAppId)) return app
    seen.add(next.oauthAppId)
    app = next
  }
}

/** The apps of a workspace that a customer may use, by definition. */
export type CandidatesByDefinition = ReadonlyMap<DefinitionId, readonly OAuthApp[]>

/**
 * Selects the app of each tool of a link or a session. An app that these name decides for its own definition; once it is
 * deleted, no tool has one, because nothing takes its place.
 */
export function createAppSelector(
  byDefinition: CandidatesByDefinition,
  question: OAuthAppQuestion,
): (definitionId: DefinitionId) => OAuthApp | undefined {
  const { requestedId } = question
  const named =
    requestedId == null
      ? undefined
      : [...byDefinition.values()].flat().find(({ oauthAppId }) => oauthAppId === requestedId)
  return (definitionId) => {
    const isForOther = named !== undefined && named.definitionId !== definitionId
    const asked = isForOther ? { ...question, requestedId: undefined } : question
    return selectOAuthApp(byDefinition.get(definitionId) ?? [], asked)
  }
}

export interface FindMissingOAuthAppsDeps {
  readonly definitions: DefinitionStore
  readonly oauthApps: OAuthAppStore
  readonly readAuthKinds: AuthKindReader
}

type OfferedType = { readonly kind: AuthKind; readonly findsClient?: true }

/** What a link offers of a tool. */
export interface OfferedAuthTypes<T> {
  /** The auth types that the link accepts. */
  readonly accepted: readonly T[]
  /** Those of them that can be used now. */
  readonly available: readonly T[]
  /** Whether nothing is missing but an OAuth app. */
  readonly isAppMissing: boolean
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
export function selectAuthTypes<T extends OfferedType>(
  types: readonly T[],
  { oauthOnly, hasApp, requiresCustomerApp = false }: AuthTypeQuestion,
): OfferedAuthTypes<T> {
  const accepted = types.filter(({ kind }) => !oauthOnly || kind === 'sign_in')
  const available = accepted.filter(
    ({ kind, findsClient }) =>
      hasApp || kind === 'credentials' || (findsClient === true && !requiresCustomerApp),
  )
  return { accepted, available, isAppMissing: accepted.length > 0 && available.length === 0 }
}

/** What a link offers of a tool, with what the OAuth app of the tool says about scopes. */
export interface Offer<T> extends OfferedAuthTypes<T> {
  /** Undefined if there is no app. */
  readonly appScopes: AppScopes | undefined
}

/** Selects what a link or a session offers of each tool. Acme Sandbox needs no OAuth app: its first sign-in creates it. */
export function createOfferSelector(
  byDefinition: CandidatesByDefinition,
  question: OAuthAppQuestion & { readonly oauthOnly: boolean },
) {
  const selectApp = createAppSelector(byDefinition, question)
  const { oauthOnly, requiresCustomerApp } = question
  return <T extends OfferedType>(definitionId: DefinitionId, types: readonly T[]): Offer<T> => {
    const isSandbox = definitionId === ACME_SANDBOX_ID && requiresCustomerApp !== true
    const appScopes = selectApp(definitionId) ?? (isSandbox ? NO_SCOPES : undefined)
    const hasApp = appScopes !== undefined
    return { appScopes, ...selectAuthTypes(types, { oauthOnly, hasApp, requiresCustomerApp }) }
  }
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
  const { requiresCustomerApp } = question
  const withoutApp = { oauthOnly, hasApp: false, requiresCustomerApp }
  const needingApp = definitions.filter(
    ({ bundleSha256 }) =>
      selectAuthTypes(authTypes.get(bundleSha256) ?? [], withoutApp).isAppMissing,
  )
  if (needingApp.length === 0) return []
  const { workspaceId } = filter
  const candidates = await deps.oauthApps.listCandidatesByDefinition(access, workspaceId, null)
  const selectApp = createAppSelector(candidates, question)
  return needingApp
    .map(({ definitionId }) => definitionId)
    .filter((id) => selectApp(id) === undefined)
}
