import type { DefinitionId } from '../definitions/definition.ts'
import type { OAuthApp, OAuthAppId } from './oauth-app.ts'

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
