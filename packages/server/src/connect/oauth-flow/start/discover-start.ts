import { listConfigFields } from '../../../accounts/accounts/credentials/account-config.ts'
import {
  dropProviderFields,
  listPromptFields,
} from '../../../accounts/accounts/credentials/list-prompt-fields.ts'
import { trimConfig } from '../../../accounts/accounts/credentials/validate-config.ts'
import type { DiscoveredServer } from '../../../integrations/oauth/discovery/authorization-server.ts'
import { discoverServer } from '../../../integrations/oauth/discovery/discover-server.ts'
import {
  fillUrlTemplate,
  PLACEHOLDER,
  TemplateError,
} from '../../../integrations/oauth/template.ts'
import {
  createClient,
  selectAppsOfIssuer,
  withServer,
} from '../../../integrations/oauth-apps/find-client.ts'
import type { OAuthApp } from '../../../integrations/oauth-apps/oauth-app.ts'
import {
  type OAuthAppQuestion,
  selectOAuthApp,
} from '../../../integrations/oauth-apps/select-oauth-app.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import { getTemplateValues } from '../session/session-context.ts'
import type { OAuthStartContext } from './oauth-start-context.ts'
import { toTemplateApiError } from './validate-start.ts'

/**
 * Asks the server of a start who issues its tokens. Undefined if the spec says it. Nothing is requested before the fields that users
 * fill in are valid.
 *
 * @throws ApiError `validation_failed` naming `config.…`; as `discoverServer`
 */
export async function discoverStart(
  deps: OAuthFlowDeps,
  {
    spec,
    authType,
    type,
    storedConfig,
    tenant,
  }: Pick<OAuthStartContext, 'spec' | 'authType' | 'type' | 'storedConfig' | 'tenant'>,
  { config }: Pick<StartOAuth, 'config'>,
): Promise<DiscoveredServer | undefined> {
  if (type.discoveredFrom === undefined) return undefined
  const fields = listConfigFields(spec, authType)
  const sent = trimConfig(fields, dropProviderFields(config ?? {}))
  const merged = { ...storedConfig, ...sent }
  if (fields !== undefined)
    await deps.validateConfig(listPromptFields(fields, type), merged, tenant)
  const url = fillServerUrl(type, merged)
  return await discoverServer(deps, url, { tenant, hosts: type.hosts })
}

function fillServerUrl(
  { discoveredFrom = '', templateFields }: OAuthStartContext['type'],
  config: Readonly<Record<string, unknown>>,
): string {
  try {
    return fillUrlTemplate(
      discoveredFrom,
      getTemplateValues(config, { clientId: '' }),
      templateFields,
    )
  } catch (error) {
    if (error instanceof TemplateError) throw toTemplateApiError(error)
    throw error
  }
}

/** What decides which client signs in at a discovered server. */
export interface ClientChoice {
  /** The apps that the customer may use. */
  readonly candidates: readonly OAuthApp[]
  readonly question: OAuthAppQuestion
  readonly discovered: DiscoveredServer
}

/**
 * The app with which people sign in at a discovered server; created if there is none. Undefined if only the customer's own may be
 * used, and there is none.
 *
 * @throws ApiError `mcp_server_invalid`, `client_required`
 */
export async function findDiscoveredApp(
  deps: OAuthFlowDeps,
  starter: Parameters<typeof createClient>[1],
  { definition, workspace, type }: Pick<OAuthStartContext, 'definition' | 'workspace' | 'type'>,
  { candidates, question, discovered: { server } }: ClientChoice,
): Promise<OAuthApp | undefined> {
  const { requestedId } = question
  const meant = listMeantApps(type, candidates, question, server)
  const apps = selectAppsOfIssuer(candidates, meant, server)
  const app = selectOAuthApp(apps, question)
  if (app !== undefined) return await withServer(deps, app, server)
  if (question.requiresCustomerApp === true || requestedId != null) return undefined
  return await createClient(deps, starter, { definition, workspace, server })
}

/**
 * The app that a request names; and the registered one of an account, or of a server that the spec names: it is the client there,
 * even if another issuer issues the tokens of the server now.
 */
function listMeantApps(
  { discoveredFrom = '' }: OAuthStartContext['type'],
  candidates: readonly OAuthApp[],
  question: OAuthAppQuestion,
  { issuer }: DiscoveredServer['server'],
): OAuthApp[] {
  const { requestedId, accountAppId } = question
  const requested = candidates.filter(({ oauthAppId }) => oauthAppId === requestedId)
  const registered = candidates.filter(({ kind }) => kind === 'registered')
  // The team has registered a client with the issuer of now, too.
  if (registered.some((app) => app.issuer === issuer)) return requested
  const ofAccount = registered.filter(({ oauthAppId }) => oauthAppId === accountAppId)
  const isFixed = [...discoveredFrom.matchAll(PLACEHOLDER)].length === 0
  const usual = isFixed ? selectOAuthApp(registered, question) : undefined
  return [...requested, ...ofAccount, ...(usual === undefined ? [] : [usual])]
}
