import { getCallbackUrl } from '../../../integrations/oauth/authorize/authorization-response.ts'
import { getDefaultOAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import { getRequestedScopes, NO_SCOPES } from '../../../integrations/oauth/spec/scopes.ts'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { PageContext } from '../page/page-context.ts'
import { type AppSetup, appSavedScreen, appSetupScreen } from './app-setup-screen.ts'

/**
 * The screen of a session in which an OAuth app is entered: the form or, once the app is stored, the way to connect. Undefined
 * for other sessions, for their sign-in, and if the tool is no longer offered.
 */
export async function getAppSetup(
  deps: ConnectPageDeps,
  page: PageContext,
): Promise<Screen | undefined> {
  const { connectSession, query } = page
  if (connectSession?.mode !== 'app') return undefined
  // Its form, which has a secret, is that of a page of its own.
  if (page.mode === 'frame') return errorScreen(page, 'notHere')
  const setup = await loadAppSetup(deps, page)
  if (setup === undefined) return undefined
  if (connectSession.oauthAppId === null) return appSetupScreen(page, setup)
  const isConnecting = query.view !== undefined || query.integration !== undefined
  return isConnecting ? undefined : appSavedScreen(page, setup)
}

/** Loads the tool of such a session. Undefined if it is gone, or no longer uses OAuth. */
export async function loadAppSetup(
  { definitions, database, baseUrl }: Pick<ConnectPageDeps, 'definitions' | 'database' | 'baseUrl'>,
  { connectSession, access, link }: PageContext,
): Promise<AppSetup | undefined> {
  const [definitionId] = connectSession?.definitionIds ?? []
  if (definitionId === undefined) return undefined
  const { workspaceId } = link
  const definition = await definitions.findLive(database.read, access, workspaceId, definitionId)
  const found = definition && getDefaultOAuthType(definition.spec)
  if (definition === undefined || found === undefined) return undefined
  const { authType, type } = found
  return {
    definition,
    type,
    redirectUri: getCallbackUrl(baseUrl()),
    steps: definition.spec.auth_specification[authType]?.['x-app-setup'] ?? [],
    scopes: getRequestedScopes(type, NO_SCOPES, connectSession?.scopes[definitionId]),
  }
}
