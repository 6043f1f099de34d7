import type { Spec } from '@linchpin/runner'
import type { DefinitionSummary } from '../../integrations/definitions/definition.ts'
import { NO_SCOPES } from '../../integrations/oauth/spec/scopes.ts'
import { selectAuthTypes } from '../../integrations/oauth-apps/select-oauth-app.ts'
import {
  chooseLanguage,
  getMessages,
  getWorkspaceDisplayName,
} from '../../platform/i18n/language.ts'
import { type Branding, renderScreen, type Screen } from '../../platform/ui/screen.ts'
import { createWorkspacePolicy } from '../links/link.ts'
import { type AuthMethod, getAuthMethods } from './form/auth-method.ts'
import type { IntegrationOption } from './integration-offer.ts'
import { resolveStep, sortIntegrations } from './integrations.ts'
import { type PageContext, parsePageQuery } from './page/page-context.ts'
import { chooseAuthScreen } from './screens/choose-auth-screen.ts'
import { formScreen } from './screens/form-screen.ts'
import { emptyScreen, pickerScreen } from './screens/picker-screen.ts'

/** An integration that a previewed link offers. */
export interface PreviewIntegration {
  readonly integrationDefinitionId: string
  readonly key: string
  readonly name: string
  readonly icon: string
  readonly version: string
  readonly latestVersion: string | null
  readonly releaseStage: string
  readonly category: { readonly key: string; readonly name: string }
  /** Whether people can sign in: the workspace has an OAuth app. */
  readonly hasApp: boolean
  /** Its auth types; for the integration that is shown also their fields, of its spec. */
  readonly authTypes: readonly {
    readonly name: string
    readonly kind: 'credentials' | 'sign_in'
  }[]
  readonly spec?: unknown
}

export interface Preview {
  readonly workspaceName: string
  readonly branding: Branding
  readonly integrations: readonly PreviewIntegration[]
  /** Whether the link accepts only sign-in. */
  readonly preferOAuth: boolean
  /** Of the connect page: language, theme, and the integration that is shown. */
  readonly query: URLSearchParams
  readonly acceptLanguage: string | undefined
  /** Where its links lead: its own path, and the settings that it shows. */
  readonly url: { readonly path: string; readonly settings: URLSearchParams }
  readonly nonce: string
}

/** The connect page of a link that may not exist yet, as a document without scripts. It reads and stores nothing. */
export function renderPreview(preview: Preview): string {
  const page = createPage(preview)
  return renderScreen(page, chooseScreen(page, preview), preview.nonce)
}

function createPage({ workspaceName, branding, query, url, acceptLanguage }: Preview): PageContext {
  const pageQuery = parsePageQuery(query)
  const language = chooseLanguage(query.get('lang'), acceptLanguage)
  const workspaceId = 'wsp_preview' as const
  const access = { userId: 'usr_preview', boundWorkspaceId: workspaceId } as const
  const workspace = {
    workspaceId,
    userId: access.userId,
    name: workspaceName,
    slug: '',
    settings: {},
    initialSetupComplete: true,
    anonymousDataCollection: false,
    createdAt: 0,
    updatedAt: 0,
    deletedAt: null,
  }
  return {
    mode: 'page',
    language,
    messages: getMessages(language),
    theme: pageQuery?.theme,
    origins: [],
    branding,
    pageId: 'lnk_preview',
    given: {},
    link: createWorkspacePolicy(workspaceId),
    workspace,
    workspaceName: getWorkspaceDisplayName(workspace, getMessages(language)),
    logo: undefined,
    access,
    query: {
      ...EMPTY_QUERY,
      ...pageQuery,
      accountIdentifier: undefined,
      redirectURL: undefined,
    },
    session: PREVIEW_SESSION,
    previewUrl: url,
  }
}

const EMPTY_QUERY = {
  integrationKeys: undefined,
  integration: undefined,
  auth: undefined,
  lang: undefined,
  theme: undefined,
  attempt: undefined,
  q: undefined,
  category: undefined,
}

/** No form of a preview can be submitted, so it needs no secret. */
const PREVIEW_SESSION = { kind: 'page', secret: '', hash: new Uint8Array(32) } as const

function chooseScreen(page: PageContext, { integrations, preferOAuth }: Preview): Screen {
  if (integrations.length === 0) return emptyScreen(page, 'noneInWorkspace', undefined)
  const options = integrations.map((integration) => toOption(integration, preferOAuth))
  const available = sortIntegrations(
    options.filter((option) => option.available.length > 0),
    page.language,
  )
  const unavailable = options.filter((option) => option.available.length === 0)
  if (available.length === 0) {
    const notConfigured = unavailable.find(({ accepted }) => accepted.length > 0)
    return notConfigured === undefined
      ? emptyScreen(page, 'noneWithSignIn', undefined)
      : emptyScreen(page, 'appMissing', notConfigured)
  }
  const step = resolveStep(page, available)
  if (step.type === 'form') return formScreen(page, step)
  if (step.type === 'auth-methods') return chooseAuthScreen(page, step.integration, step.back)
  return pickerScreen(page, { integrations: available, unavailable }, [])
}

function toOption(integration: PreviewIntegration, preferOAuth: boolean): IntegrationOption {
  const { category, integrationDefinitionId, releaseStage, hasApp, spec } = integration
  const methods =
    spec === undefined
      ? integration.authTypes.map(toMethodWithoutFields)
      : getAuthMethods(spec as Spec)
  const definition = {
    ...integration,
    definitionId: integrationDefinitionId as DefinitionSummary['definitionId'],
    workspaceId: 'wsp_preview' as const,
    releaseStage,
    typeKey: category.key,
    typeName: category.name,
    sourceUrl: '',
    bundleSha256: '',
    latestSourceUrl: null,
    createdAt: 0,
    updatedAt: 0,
    deletedAt: null,
  }
  return {
    definition,
    appScopes: hasApp ? NO_SCOPES : undefined,
    ...selectAuthTypes(methods, { oauthOnly: preferOAuth, hasApp }),
  }
}

const NO_DESTINATIONS = {
  hostFields: [],
  maskedFields: new Set<string>(),
  freeFields: new Set<string>(),
}

/** Enough for a list, which shows no fields. */
function toMethodWithoutFields({
  name,
  kind,
}: PreviewIntegration['authTypes'][number]): AuthMethod {
  return {
    authType: name,
    kind,
    host: undefined,
    fields: [],
    facts: [],
    destinations: NO_DESTINATIONS,
  }
}
