import {
  type ExtendedIntegrationDefinition,
  type IntegrationOAuthApp,
  isLinchpinError,
  type LinchpinError,
} from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, linkButton, panel, submitButton, tile } from '../parts/content.ts'
import { customerLink } from '../parts/customer-link.ts'
import { selectField, textField } from '../parts/fields.ts'
import { share } from '../parts/share.ts'
import { emptyState, formatNumber, table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'

const INTEGRATIONS = '/console/integrations'

/** Which OAuth apps does an integration have, who uses them, and how do I move connections to another? */
export const oauthAppsScreen: Screen = {
  path: '/integrations/:integrationDefinitionId/oauth-apps',
  show: (view) => show(view),
  actions: {
    '/add': add,
    '/default': makeDefault,
    '/successor': setSuccessor,
    '/delete': remove,
    '/hand-off': handOff,
  },
}

interface Apps {
  readonly definition: ExtendedIntegrationDefinition
  readonly apps: readonly IntegrationOAuthApp[]
  readonly path: string
}

/** What an action adds to the page. */
interface Outcome {
  readonly status?: number
  readonly banner?: Html
  readonly typed?: URLSearchParams
}

async function load({ api, params }: View): Promise<Apps> {
  const definition = await api.definitions.get(params.integrationDefinitionId ?? '')
  const { integrationDefinitionId } = definition
  return {
    definition,
    apps: await api.oauthApps.list({ integrationDefinitionId }).first(SHOWN),
    path: `${INTEGRATIONS}/${params.integrationDefinitionId}/oauth-apps`,
  }
}

/** Of more apps, which are those of customers, the page of the customer has the others. */
const SHOWN = 500

async function show(view: View, outcome: Outcome = {}): Promise<Answer> {
  const { words } = view
  const loaded = await load(view)
  const { definition, apps, path } = loaded
  const home = `${INTEGRATIONS}/${definition.integrationDefinitionId}`
  return {
    title: words.oauthApps.title(definition.name),
    section: 'integrations',
    parent: { href: home, label: definition.name },
    mark: tile(definition.icon, 'large'),
    ...(outcome.banner !== undefined && { banner: outcome.banner }),
    main: html`<div class="stack">${renderApps(view, loaded)}
<div class="columns"><div>${renderHandOff(view, path, outcome.typed)}${renderSuccessor(view, loaded)}</div>
<aside class="after">${renderAdd(view, path, outcome.typed)}</aside></div></div>`,
    actions:
      apps.length === 0
        ? []
        : [linkButton({ text: words.oauthApps.openDefault, icon: 'key' }, `${home}/oauth-app`)],
    ...(outcome.status !== undefined && { status: outcome.status }),
  }
}

function renderApps(view: View, { apps, path }: Apps): Html {
  const { words } = view
  const { oauthApps } = words
  if (apps.length === 0) return emptyState({ icon: 'key', text: oauthApps.none })
  const names = new Map(apps.map((app) => [app.integrationOAuthAppId, app.integrationOAuthAppName]))
  return table<IntegrationOAuthApp>({
    label: oauthApps.label,
    rows: apps,
    key: (app) => app.integrationOAuthAppId,
    columns: [
      {
        name: oauthApps.app,
        width: 'wide',
        cell: (app) =>
          html`<span class="two"><b>${app.integrationOAuthAppName}</b><small><code>${app.clientId}</code></small></span>`,
      },
      { name: oauthApps.use, width: 'medium', cell: (app) => renderUse(view, app, names) },
      {
        name: oauthApps.connections,
        width: 'narrow',
        align: 'end',
        cell: ({ accounts }) =>
          html`<span class="number">${formatNumber(accounts)}${accounts >= COUNTED ? '+' : ''}</span>`,
      },
      {
        name: oauthApps.actions,
        width: 'medium',
        align: 'end',
        cell: (app) => renderRowActions(view, path, app),
      },
    ],
  })
}

/** The API counts up to this number. */
const COUNTED = 1_000

function renderUse(
  { words: { oauthApps } }: View,
  { isDefault, accountIdentifier, successorId }: IntegrationOAuthApp,
  names: ReadonlyMap<string, string>,
): Html {
  const use =
    accountIdentifier === null
      ? isDefault
        ? oauthApps.isDefault
        : oauthApps.isNamed
      : html`${oauthApps.isOwn} ${customerLink(accountIdentifier)}`
  return successorId === null
    ? html`${use}`
    : html`<span class="two">${use}<small>${oauthApps.movesTo(names.get(successorId) ?? successorId)}</small></span>`
}

function renderRowActions(
  view: View,
  path: string,
  { integrationOAuthAppId: id, accounts, isDefault, accountIdentifier }: IntegrationOAuthApp,
): Html {
  const { oauthApps } = view.words
  const button = (action: string, text: string) =>
    html`<form method="post" action="${path}${action}" class="inline">${view.formFields(`${path}${action}`)}<input type="hidden" name="app" value="${id}">${submitButton({ text, disabledBecause: whyNot(view, 'apps:write') })}</form>`
  return html`${accountIdentifier === null && !isDefault ? button('/default', oauthApps.makeDefault) : ''}${accounts === 0 ? button('/delete', oauthApps.delete) : ''}`
}

/** Customers' own apps have no successor: a customer has one app. */
function renderSuccessor(view: View, { apps, path }: Apps): Html | string {
  const { oauthApps } = view.words
  const own = apps.filter(({ accountIdentifier }) => accountIdentifier === null)
  if (own.length < 2) return ''
  const action = `${path}/successor`
  const options = own.map((app) => ({
    value: app.integrationOAuthAppId,
    label: `${app.integrationOAuthAppName} (${app.clientId})`,
  }))
  const moving = own.find(({ successorId }) => successorId !== null)
  return panel(
    oauthApps.move,
    html`<form method="post" action="${action}" class="stack">${view.formFields(action)}<p>${oauthApps.moveText}</p>
${selectField({ name: 'from', label: oauthApps.from, value: moving?.integrationOAuthAppId ?? own[0]?.integrationOAuthAppId }, options)}
${selectField({ name: 'to', label: oauthApps.to, value: moving?.successorId ?? '' }, [{ value: '', label: oauthApps.noSuccessor }, ...options])}
<div class="buttons">${submitButton({ text: oauthApps.moveButton, disabledBecause: whyNot(view, 'apps:write') })}</div></form>`,
  )
}

function renderHandOff(view: View, path: string, typed?: URLSearchParams): Html {
  const { oauthApps } = view.words
  const action = `${path}/hand-off`
  const disabledBecause = whyNot(view, 'apps:write') ?? whyNot(view, 'links:write')
  return panel(
    oauthApps.handOff,
    html`<form method="post" action="${action}" class="stack">${view.formFields(action)}<p>${oauthApps.handOffText}</p>
${textField({ name: 'customer', label: oauthApps.customer, value: typed?.get('customer'), isRequired: true, maxLength: 255 })}
<div class="buttons">${submitButton({ text: oauthApps.handOffButton, icon: 'external', disabledBecause })}</div></form>`,
  )
}

function renderAdd(view: View, path: string, typed?: URLSearchParams): Html {
  const { oauthApps, oauthApp } = view.words
  const action = `${path}/add`
  return panel(
    oauthApps.add,
    html`<form method="post" action="${action}" class="stack">${view.formFields(action)}<p>${oauthApps.addText}</p>
${textField({ name: 'name', label: oauthApp.name, value: typed?.get('name'), maxLength: 200 })}
${textField({ name: 'clientId', label: oauthApp.clientId, value: typed?.get('clientId'), isRequired: true, isCode: true, maxLength: 1_024 })}
${textField({ name: 'clientSecret', label: oauthApp.clientSecret, type: 'password', hint: oauthApp.secretHint, isCode: true, maxLength: 8_192 })}
<div class="buttons">${submitButton({ text: oauthApps.addButton, icon: 'plus', disabledBecause: whyNot(view, 'apps:write') })}</div></form>`,
  )
}

async function add(view: Submission): Promise<Answer> {
  const { api, words, form, formId } = view
  const { definition, path } = await load(view)
  const read = (name: string) => form.get(name)?.trim() || undefined
  const [name, clientSecret] = [read('name'), read('clientSecret')]
  return explain(view, async () => {
    await api.oauthApps.create(
      {
        integrationDefinitionId: definition.integrationDefinitionId,
        clientId: read('clientId') ?? '',
        isDefault: false,
        ...(clientSecret !== undefined && { clientSecret }),
        ...(name !== undefined && { integrationOAuthAppName: name }),
      },
      { idempotencyKey: formId },
    )
    return { location: path, notice: words.oauthApps.added }
  })
}

/** The API allows one default: the one before ends first, and is restored if the other cannot take its place. */
async function makeDefault(view: Submission): Promise<Answer> {
  const { api, words } = view
  const { apps, path } = await load(view)
  const previous = apps.find(({ isDefault }) => isDefault)
  return explain(view, async () => {
    if (previous !== undefined)
      await api.oauthApps.update(previous.integrationOAuthAppId, { isDefault: false })
    try {
      await api.oauthApps.update(readId(view, 'app'), { isDefault: true })
    } catch (error) {
      if (previous !== undefined)
        await api.oauthApps.update(previous.integrationOAuthAppId, { isDefault: true })
      throw error
    }
    return { location: path, notice: words.oauthApps.madeDefault }
  })
}

async function setSuccessor(view: Submission): Promise<Answer> {
  const { api, words, form } = view
  const { path } = await load(view)
  const successorId = form.get('to') || null
  return explain(view, async () => {
    await api.oauthApps.update(readId(view, 'from'), { successorId })
    const { moving, notMoving } = words.oauthApps
    return { location: path, notice: successorId === null ? notMoving : moving }
  })
}

async function remove(view: Submission): Promise<Answer> {
  const { api, words } = view
  const { path } = await load(view)
  return explain(view, async () => {
    await api.oauthApps.delete(readId(view, 'app'))
    return { location: path, notice: words.oauthApp.deleted }
  })
}

/** Creates the page on which a customer's administrator enters an app, and shows its address once. */
async function handOff(view: Submission): Promise<Answer> {
  const { api, words, form, formId, now } = view
  const { definition, path } = await load(view)
  const { oauthApps } = words
  const customer = form.get('customer')?.trim() ?? ''
  return explain(view, async () => {
    const session = await api.connectSessions.create(
      {
        mode: 'app',
        accountIdentifier: customer,
        integrationDefinitionIds: [definition.integrationDefinitionId],
      },
      { idempotencyKey: formId },
    )
    return {
      // Turbo shows the response of a form only with another status than 200.
      status: 201,
      title: oauthApps.ready(customer),
      section: 'integrations',
      parent: { href: path, label: oauthApps.title(definition.name) },
      main: html`<div class="narrow">${panel(words.links.address, html`<p>${oauthApps.once} ${timeAgo(session.expiresAt, now, words)}.</p>${share(session.url, words)}`)}</div>`,
    }
  })
}

/** The client refuses what is no segment of a path. */
function readId({ form }: Submission, name: string): string {
  return form.get(name)?.replace(/^\.{0,2}$/, 'none') ?? 'none'
}

/** The page again, with what is wrong in words. */
async function explain(view: Submission, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (!isLinchpinError(error) || error.status >= 500) throw error
    const title = describeError(error, view)
    return show(view, { status: 422, banner: banner('bad', { title }), typed: view.form })
  }
}

function describeError(
  { code, errors, message }: LinchpinError,
  { words: { oauthApps, oauthApp } }: View,
): string {
  switch (code) {
    case 'already_exists':
      return oauthApps.errors.exists
    case 'unknown_reference':
      return oauthApps.errors.successor
    case 'oauth_app_in_use':
      return oauthApp.errors.inUse
    case 'auth_type_not_allowed':
      return oauthApp.errors.noType
    default:
      return Object.values(errors).flat()[0]?.message ?? message
  }
}
