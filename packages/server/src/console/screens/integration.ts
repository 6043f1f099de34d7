import {
  type ExtendedIntegrationDefinition,
  type IntegrationAccount,
  type IntegrationOAuthApp,
  type IntegrationSpec,
  isLinchpinError,
  type Linchpin,
  type ListedIntegrationDefinition,
  type SpecAuthType,
  type SpecField,
  type SpecFields,
} from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import {
  banner,
  codeTag,
  copyable,
  facts,
  linkButton,
  longList,
  panel,
  snippet,
  submitButton,
  tile,
} from '../parts/content.ts'
import { dialog } from '../parts/dialog.ts'
import { describeStatus, statusBadge } from '../parts/status.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import type { Words } from '../words/en.ts'
import { openConnectPage } from './connect-page-dialog.ts'
import { getAppNeed } from './integrations.ts'
import { suspectBanner, trust } from './suspect.ts'

const PATH = '/console/integrations'

/** What does this integration need, and who uses it? */
export const integrationScreen: Screen = {
  path: '/integrations/:integrationDefinitionId',
  show: (view) => show(view),
  actions: {
    '/preview': preview,
    '/delete': remove,
    '/trust': trust,
  },
}

interface Integration {
  readonly definition: ExtendedIntegrationDefinition
  readonly spec: IntegrationSpec
  /** What the list knows; undefined if it was deleted. */
  readonly listed: ListedIntegrationDefinition | undefined
  readonly app: IntegrationOAuthApp | undefined
  readonly connections: readonly IntegrationAccount[]
}

async function show(
  view: View,
  extra: Pick<Partial<Page>, 'status' | 'banner'> & { readonly dialog?: Html } = {},
): Promise<Answer> {
  const { words } = view
  const integration = await load(view)
  const { definition } = integration
  return {
    title: definition.name,
    section: 'integrations',
    parent: { href: PATH, label: words.sections.integrations },
    mark: tile(definition.icon, 'large'),
    note: html`${definition.integrationType.name} · ${definition.version}`,
    actions: definition.deleted === null ? renderActions(view, integration) : [],
    banner: html`${await suspectBanner(view, { id: definition.integrationDefinitionId, name: definition.name })}${extra.banner ?? renderBanner(view, integration)}`,
    main: html`<div class="columns"><div>${renderWays(view, integration)}${panel(words.integration.connections, renderConnections(view, integration))}${panel(words.integration.useCode, renderUse(view, integration))}</div>
<aside>${panel(words.integration.facts, renderFacts(view, integration))}${renderApp(view, integration)}${panel(words.integration.hosts, renderHosts(view, integration))}</aside></div>${extra.dialog}`,
    ...(extra.status !== undefined && { status: extra.status }),
  }
}

async function load({ api, params }: View): Promise<Integration> {
  const definition = await api.definitions.get(params.integrationDefinitionId ?? '')
  const { integrationDefinitionId: id, key } = definition
  const [spec, listed, apps, connections] = await Promise.all([
    api.definitions.getSpec(id),
    api.definitions.list({ key }).first(1),
    api.oauthApps.list({ integrationDefinitionId: id, isDefault: true }).first(1),
    api.accounts
      .list({ integrationDefinitionId: id, order: '-createdAt' })
      .first(SHOWN_CONNECTIONS),
  ])
  return {
    definition,
    spec: spec as unknown as IntegrationSpec,
    listed: listed.find((each) => each.integrationDefinitionId === id),
    app: apps[0],
    connections,
  }
}

const SHOWN_CONNECTIONS = 5

/** The default OAuth app of an integration in the workspace. */
export async function findApp(
  api: Linchpin,
  integrationDefinitionId: string,
): Promise<IntegrationOAuthApp | undefined> {
  const [app] = await api.oauthApps.list({ integrationDefinitionId, isDefault: true }).first(1)
  return app
}

/** That a provider rejects the OAuth app, who has to act, and the way to it; undefined while the provider accepts it. */
export function rejectedAppBanner(
  { integrationDefinitionId: id, failingSince }: IntegrationOAuthApp,
  { name }: { readonly name: string } = { name: id },
  { oauthApp }: Words,
): Html | undefined {
  if (failingSince === null) return undefined
  return banner('bad', {
    title: html`${oauthApp.rejectedSince(name)} ${exactTime(failingSince)}`,
    text: oauthApp.rejectedText,
    action: linkButton({ text: oauthApp.open, icon: 'key' }, `${PATH}/${id}/oauth-app`),
  })
}

function renderActions(view: View, { definition, listed, app }: Integration): Html[] {
  const { words } = view
  const path = `${PATH}/${definition.integrationDefinitionId}`
  const isOwn = definition.releaseStage.key === 'CUSTOM'
  const needsApp = listed !== undefined && getAppNeed(listed, app !== undefined) === 'all'
  return [
    ...(isOwn ? [deleteDialog(view, definition)] : []),
    // What was not downloaded may be an entry; the page of one that is code leads on to its versions.
    ...(isOwn && definition.sourceUrl.startsWith('ni:')
      ? [linkButton({ text: words.integration.edit, icon: 'code' }, `${path}/entry`)]
      : []),
    linkButton({ text: words.integration.upgrade, icon: 'history' }, `${path}/upgrade`),
    ...(needsApp
      ? []
      : [
          html`<form method="post" action="${path}/preview">${view.formFields(`${path}/preview`)}${submitButton({ text: words.integration.preview, icon: 'eye', kind: 'primary', disabledBecause: whyNot(view, 'links:write') })}</form>`,
        ]),
  ]
}

function deleteDialog(
  view: View,
  { integrationDefinitionId, name }: ExtendedIntegrationDefinition,
): Html {
  const { words } = view
  const action = `${PATH}/${integrationDefinitionId}/delete`
  return dialog({
    id: 'delete',
    trigger: {
      text: words.integration.delete,
      icon: 'trash',
      disabledBecause: whyNot(view, 'definitions:write'),
    },
    title: words.integration.deleteTitle(name),
    content: html`<p>${words.integration.deleteText}</p>
<form method="post" action="${action}">${view.formFields(action)}<div class="buttons">${submitButton({ text: words.integration.delete, icon: 'trash', kind: 'danger' })}</div></form>`,
    words,
  })
}

function renderBanner(view: View, { definition, listed, app }: Integration): Html | undefined {
  const { words, now } = view
  const { integration } = words
  const path = `${PATH}/${definition.integrationDefinitionId}`
  if (definition.deleted !== null)
    return banner('info', {
      title: integration.deletedTitle,
      text: timeAgo(definition.deleted, now, words),
    })
  if (listed !== undefined && getAppNeed(listed, app !== undefined) === 'all')
    return banner('warn', {
      title: integration.needsAppTitle,
      text: integration.needsAppText(definition.name),
      action: linkButton({ text: integration.setUpApp, kind: 'primary' }, `${path}/oauth-app`),
    })
  const rejected = app && rejectedAppBanner(app, definition, words)
  if (rejected !== undefined) return rejected
  if (!definition.isLatest)
    return banner('info', {
      title: integration.updateTitle(definition.latestVersion),
      text: integration.updateText,
      action: linkButton({ text: integration.seeChanges }, `${path}/upgrade`),
    })
  return undefined
}

function renderWays(view: View, { spec, listed }: Integration): Html[] {
  const { integration } = view.words
  const types = Object.entries(spec.auth_specification)
  if (types.length === 0) return [html`<p>${integration.noWays}</p>`]
  const shared = spec.other_inputs?.input_specification
  return [
    ...types.map(([name, type]) => {
      const isSignIn =
        listed?.authTypes.some((each) => each.name === name && each.kind === 'sign_in') ??
        (type.authorization_url ?? type.discovery) !== undefined
      const kind = isSignIn ? integration.signIn : integration.credentials
      const content = isSignIn
        ? html`${renderFields(view, type.input_specification, true)}${renderPermissions(view, type)}`
        : renderFields(view, type.input_specification, false)
      return panel(name, content, html`<span class="quiet">${kind}</span>`)
    }),
    ...(Object.keys(shared?.properties ?? {}).length === 0
      ? []
      : [panel(integration.sharedFields, renderFields(view, shared, true))]),
  ]
}

/** The fields that a customer enters, in the order of the form. */
function renderFields(
  { words }: View,
  input: SpecFields | undefined,
  mayBeEmpty: boolean,
): Html | string {
  const { integration } = words
  const fields = Object.entries(input?.properties ?? {}).toSorted(
    ([, a], [, b]) => (a['x-order'] ?? 0) - (b['x-order'] ?? 0),
  )
  if (fields.length === 0)
    return mayBeEmpty ? '' : html`<p class="quiet">${integration.noFields}</p>`
  const describe = ([name, field]: [string, SpecField]) => {
    const help = safeUrl(field['x-help-url'])
    const isSecret =
      field.writeOnly === true || field['x-secret'] === true || field.format === 'password'
    return html`<li><p class="line"><span><b>${field.title ?? name}</b> <code class="quiet">${name}</code></span><span class="tags"><span class="tag">${input?.required?.includes(name) ? integration.required : integration.optional}</span>${isSecret ? html`<span class="tag">${integration.secret}</span>` : ''}</span></p>
${field.description === undefined && help === undefined ? '' : html`<p class="quiet">${field.description} ${help === undefined ? '' : html`<a href="${help}" target="_blank" rel="noopener noreferrer" class="nowrap">${integration.help}</a>`}</p>`}</li>`
  }
  return html`<ul class="rows">${fields.map(describe)}</ul>`
}

/** What a sign-in asks for, in the words of the integration. */
function renderPermissions({ words }: View, type: SpecAuthType): Html {
  const { integration } = words
  const scopes = type.default_scopes ?? []
  const labels = type['x-scope-labels'] ?? {}
  if (scopes.length === 0) return html`<p class="quiet">${integration.noPermissions}</p>`
  return html`<h3>${integration.permissions}</h3>${longList(
    scopes.map((scope) => {
      const label = Object.hasOwn(labels, scope) ? String(labels[scope]) : undefined
      return label === undefined
        ? html`<li><p><code>${scope}</code></p></li>`
        : html`<li><p>${label}</p><p class="quiet"><code>${scope}</code></p></li>`
    }),
    'rows',
    words,
  )}`
}

function renderFacts(view: View, { definition, listed }: Integration): Html {
  const { words, now } = view
  const { integration } = words
  const documentation = safeUrl(listed?.documentationUrl)
  const source = safeUrl(definition.sourceUrl)
  return facts([
    [integration.category, definition.integrationType.name],
    [integration.stage, definition.releaseStage.name],
    [
      integration.version,
      definition.isLatest
        ? definition.version
        : html`${definition.version} <a href="${PATH}/${definition.integrationDefinitionId}/upgrade">${words.integrations.update(definition.latestVersion)}</a>`,
    ],
    [
      integration.overridden,
      definition.overridden === undefined
        ? undefined
        : html`${definition.overridden.map((path, index) => html`${index === 0 ? '' : ', '}<code>${path}</code>`)}`,
    ],
    [integration.changed, timeAgo(definition.updatedAt, now, words)],
    [
      words.app.docs,
      documentation === undefined
        ? undefined
        : html`<a href="${documentation}" target="_blank" rel="noopener noreferrer">${new URL(documentation).host}</a>`,
    ],
    [
      integration.source,
      source === undefined
        ? integration.uploaded
        : html`<a href="${source}" target="_blank" rel="noopener noreferrer">${new URL(source).host}</a>`,
    ],
    [integration.key, copyable(definition.key, words)],
    ['ID', copyable(definition.integrationDefinitionId, words)],
  ])
}

/** A URL that a page may link to: those of bundles could run scripts. */
export function safeUrl(url: string | null | undefined): string | undefined {
  const parsed = url == null ? null : URL.parse(url)
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.href : undefined
}

function renderApp(view: View, { definition, listed, app }: Integration): Html | string {
  const { app: texts } = view.words.integration
  const isMissing = listed !== undefined && getAppNeed(listed, app !== undefined) !== 'none'
  if (!isMissing && app === undefined) return ''
  const path = `${PATH}/${definition.integrationDefinitionId}/oauth-app`
  return panel(
    texts.title,
    html`<p>${app === undefined ? texts.missing : texts.present(app.integrationOAuthAppName)}</p>
<p><a href="${path}s">${texts.all}</a></p>`,
    linkButton({ text: app === undefined ? view.words.integration.setUpApp : texts.open }, path),
  )
}

function renderConnections(view: View, { definition, connections }: Integration): Html {
  const { words } = view
  const { integration } = words
  if (connections.length === 0) return html`<p class="quiet">${integration.noConnections}</p>`
  return html`<ul class="rows">${connections.map(
    (each) =>
      html`<li class="line"><a href="/console/connections/${each.integrationAccountId}">${each.accountIdentifier ?? each.integrationAccountName}</a>${statusBadge(describeStatus(each, words))}</li>`,
  )}</ul><p><a href="/console/connections?integration=${definition.integrationDefinitionId}">${integration.allConnections}</a></p>`
}

function renderHosts({ words }: View, { spec }: Integration): Html {
  const hosts = spec['x-hosts']
  if (hosts === undefined) return html`<p>${words.integration.anyHost}</p>`
  return html`<ul class="tags">${hosts.map(codeTag)}</ul>`
}

function renderUse({ words, publicUrl }: View, { definition: { key } }: Integration): Html {
  return snippet(
    `curl -X POST '${publicUrl}/api/v1/connect_session' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN" -H 'Content-Type: application/json' \\\n  -d '{"accountIdentifier":"customer-1","integrationDefinitionIds":["${key}"]}'`,
    words,
    'curl',
  )
}

/** Shows the form as customers see it. */
async function preview(view: Submission): Promise<Answer> {
  const { api, words, params } = view
  const { integrationDefinitionId, name } = await api.definitions.get(
    params.integrationDefinitionId ?? '',
  )
  const page = await openConnectPage(view, {
    integrationDefinitionId,
    accountIdentifier: 'console-preview',
    title: words.integration.previewTitle(name),
    text: words.integration.previewText,
    back: `${PATH}/${integrationDefinitionId}`,
  })
  return show(view, { dialog: page })
}

async function remove(view: Submission): Promise<Answer> {
  const { api, words, params } = view
  try {
    await api.definitions.delete(params.integrationDefinitionId ?? '')
  } catch (error) {
    if (!isLinchpinError(error, 'definition_in_use')) throw error
    return show(view, {
      status: 422,
      banner: banner('bad', { title: words.upgrade.failedTitle, text: error.message }),
    })
  }
  return { location: PATH, notice: words.integration.deleted }
}
