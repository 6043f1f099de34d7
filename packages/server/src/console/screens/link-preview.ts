import type { ListedIntegrationDefinition } from '@linchpin/sdk'
import {
  type Preview,
  type PreviewIntegration,
  renderPreview,
} from '../../connect/connect-page/render-preview.ts'
import type { Screen, View } from '../screen.ts'
import { type LinkValues, readLinkValues } from './link-form.ts'
import { toPreviewParams } from './new-link.ts'

const PATH = '/console/preview/link'

/** The connect page with settings that are not stored yet, in a frame. */
export const linkPreviewScreen: Screen = {
  path: '/preview/link',
  async show(view) {
    const { api, query, session } = view
    const values = readLinkValues(query)
    const [definitions, apps, workspaces] = await Promise.all([
      api.definitions.list().first(1_000),
      api.oauthApps.list({ isDefault: true }).first(1_000),
      api.workspaces.list().first(1_000),
    ])
    const { workspaceId } = session.membership
    const workspace = workspaces.find((each) => each.workspaceId === workspaceId)
    const withApp = new Set(apps.map((app) => app.integrationDefinitionId))
    const offered = selectOffered(definitions, values)
    const integrations = await addSpec(
      view,
      offered.map((definition) => toIntegration(view, definition, withApp)),
    )
    return {
      render: (nonce) =>
        renderPreview({
          workspaceName: workspace?.name ?? '',
          branding: (workspace?.theme ?? {}) as Preview['branding'],
          integrations,
          preferOAuth: values.preferOAuth,
          query,
          acceptLanguage: undefined,
          url: { path: PATH, settings: toPreviewParams(values) },
          nonce,
        }),
    }
  },
}

function selectOffered(
  definitions: readonly ListedIntegrationDefinition[],
  { offer, categories, integrations }: LinkValues,
): readonly ListedIntegrationDefinition[] {
  return definitions.filter(({ integrationDefinitionId, integrationType }) => {
    if (offer === 'categories') return categories.includes(integrationType.key)
    return offer === 'all' || integrations.includes(integrationDefinitionId)
  })
}

function toIntegration(
  { publicUrl }: View,
  definition: ListedIntegrationDefinition,
  withApp: ReadonlySet<string>,
): PreviewIntegration {
  const { integrationDefinitionId, icon, key } = definition
  return {
    integrationDefinitionId,
    key,
    name: definition.name,
    icon: icon.startsWith(`${publicUrl}/`) ? icon.slice(publicUrl.length) : '',
    version: definition.version,
    latestVersion: definition.releaseStage.key === 'CUSTOM' ? null : definition.latestVersion,
    releaseStage: definition.releaseStage.key,
    category: definition.integrationType,
    // The OAuth app of Acme Sandbox is created by the first sign-in.
    hasApp:
      withApp.has(integrationDefinitionId) ||
      key === 'acme_sandbox' ||
      definition.authTypes.some(({ findsClient }) => findsClient === true),
    authTypes: definition.authTypes.map(({ name, kind }) => ({
      name,
      kind: kind === 'sign_in' ? 'sign_in' : 'credentials',
    })),
  }
}

/** The form of an integration needs its fields: of the one that the preview shows. */
async function addSpec(
  { api, query }: View,
  integrations: readonly PreviewIntegration[],
): Promise<readonly PreviewIntegration[]> {
  const key = query.get('integration')
  const shown =
    integrations.length === 1 ? integrations[0] : integrations.find((one) => one.key === key)
  if (shown === undefined) return integrations
  const spec = await api.definitions.getSpec(shown.integrationDefinitionId)
  return integrations.map((one) => (one === shown ? { ...one, spec } : one))
}
