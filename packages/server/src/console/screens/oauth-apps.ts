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
import { type FormErrors, toFormErrors } from '../parts/form-errors.ts'
import { issuerField } from '../parts/issuer-field.ts'
import { share } from '../parts/share.ts'
import { emptyState, formatNumber, table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'
import type { Words } from '../words/en.ts'

const INTEGRATIONS = '/console/integrations'

/** Which OAuth apps does an integration have, who uses them, and how do I move connections to another? */
export const oauthAppsScreen: Screen = {
  path: '/integrations/:integrationDefinitionId/oauth-apps',
  show: (view) => show(view),
  actions: {
    '/add': add,
    '/default': makeDefault,
    '/successor': setSuccessor,
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
  readonly errors?: FormErrors
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
    banner: outcome.banner ?? renderDefaultBanner(view, apps, home),
    main: html`<div class="stack">${renderApps(view, loaded)}
<div class="columns"><div>${renderHandOff(view, path, outcome)}${renderSuccessor(view, loaded, outcome)}</div>
<aside class="after">${apps.length === 0 ? '' : renderAdd(view, loaded, outcome)}</aside></div></div>`,
    ...(outcome.status !== undefined && { status: outcome.status }),
  }
}

/** That customers without an app of their own cannot connect: there are apps, and none of them is the default. */
function renderDefaultBanner(
  { words: { oauthApps } }: View,
  apps: Apps['apps'],
  home: string,
): Html | undefined {
  if (apps.length === 0 || apps.some(({ isDefault }) => isDefault)) return undefined
  return banner('warn', {
    title: oauthApps.noDefault,
    text: oauthApps.noDefaultText,
    action: linkButton({ text: oauthApps.setUpDefault, icon: 'key' }, `${home}/oauth-app`),
  })
}

function renderApps(view: View, { definition, apps, path }: Apps): Html {
  const { words } = view
  const { oauthApps } = words
  if (apps.length === 0) {
    const first = `${INTEGRATIONS}/${definition.integrationDefinitionId}/oauth-app`
    const action = linkButton({ text: words.integration.setUpApp, kind: 'primary' }, first)
    return emptyState({ icon: 'key', text: oauthApps.none, action })
  }
  const names = new Map(apps.map((app) => [app.integrationOAuthAppId, app.integrationOAuthAppName]))
  return table<IntegrationOAuthApp>({
    label: oauthApps.label,
    rows: apps,
    key: (app) => app.integrationOAuthAppId,
    href: (app) => `/console/oauth-apps/${app.integrationOAuthAppId}`,
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
        cell: (app) => html`<a class="number" href="${appConnections(app)}">${countOf(app)}</a>`,
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

function countOf({ accounts }: IntegrationOAuthApp): string {
  return `${formatNumber(accounts)}${accounts >= COUNTED ? '+' : ''}`
}

/** The list of the connections that an app refreshes. */
export function appConnections({ integrationOAuthAppId: id }: IntegrationOAuthApp): string {
  return `/console/connections?oauthApp=${id}`
}

/** For whom an app is used. */
export function describeUse(
  { isDefault, accountIdentifier }: IntegrationOAuthApp,
  { isDefault: ofAll, isNamed, isOwn }: Words['oauthApps'],
): Html {
  if (accountIdentifier !== null) return html`${isOwn} ${customerLink(accountIdentifier)}`
  return html`${isDefault ? ofAll : isNamed}`
}

function renderUse(
  { words: { oauthApps } }: View,
  app: IntegrationOAuthApp,
  names: ReadonlyMap<string, string>,
): Html {
  const { successorId, accountIdentifier } = app
  // In a line of its own, a long identifier ends where it should, whatever its direction.
  if (accountIdentifier !== null)
    return html`<span class="two"><small>${oauthApps.isOwn}</small> ${customerLink(accountIdentifier)}</span>`
  const use = describeUse(app, oauthApps)
  return successorId === null
    ? use
    : html`<span class="two"><span>${use}</span><small>${oauthApps.movesTo(names.get(successorId) ?? successorId)}</small></span>`
}

function renderRowActions(
  view: View,
  path: string,
  { integrationOAuthAppId: id, isDefault, accountIdentifier }: IntegrationOAuthApp,
): Html | string {
  if (isDefault || accountIdentifier !== null) return ''
  const text = view.words.oauthApps.makeDefault
  const action = `${path}/default`
  return html`<form method="post" action="${action}" class="inline">${view.formFields(action)}<input type="hidden" name="app" value="${id}">${submitButton({ text, disabledBecause: whyNot(view, 'apps:write') })}</form>`
}

/** Customers' own apps have no successor: a customer has one app. */
function renderSuccessor(
  view: View,
  { apps, path }: Apps,
  { typed, errors }: Outcome,
): Html | string {
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
${selectField({ name: 'from', label: oauthApps.from, value: typed?.get('from') ?? moving?.integrationOAuthAppId ?? own[0]?.integrationOAuthAppId }, options)}
${selectField({ name: 'successorId', label: oauthApps.to, value: typed?.get('successorId') ?? moving?.successorId ?? '', error: errors?.fields.successorId }, [{ value: '', label: oauthApps.noSuccessor }, ...options])}
<div class="buttons">${submitButton({ text: oauthApps.moveButton, disabledBecause: whyNot(view, 'apps:write') })}</div></form>`,
  )
}

function renderHandOff(view: View, path: string, { typed, errors }: Outcome): Html {
  const { oauthApps } = view.words
  const action = `${path}/hand-off`
  const disabledBecause = whyNot(view, 'apps:write') ?? whyNot(view, 'links:write')
  return panel(
    oauthApps.handOff,
    html`<form method="post" action="${action}" class="stack">${view.formFields(action)}<p>${oauthApps.handOffText}</p>
${textField({ name: 'accountIdentifier', label: oauthApps.customer, value: typed?.get('accountIdentifier'), error: errors?.fields.accountIdentifier, isRequired: true, maxLength: 255 })}
<div class="buttons">${submitButton({ text: oauthApps.handOffButton, icon: 'external', disabledBecause })}</div></form>`,
  )
}

function renderAdd(view: View, { apps, path }: Apps, { typed, errors }: Outcome): Html {
  const { oauthApps, oauthApp } = view.words
  const hasIssuer = apps.some(({ issuer }) => issuer !== null)
  const issuer = hasIssuer ? issuerField(oauthApp, typed?.get('issuer'), errors?.fields.issuer) : ''
  const action = `${path}/add`
  return panel(
    oauthApps.add,
    html`<form method="post" action="${action}" class="stack">${view.formFields(action)}<p>${oauthApps.addText}</p>${issuer}
${textField({ name: 'integrationOAuthAppName', label: oauthApp.name, value: typed?.get('integrationOAuthAppName'), error: errors?.fields.integrationOAuthAppName, maxLength: 200 })}
${textField({ name: 'clientId', label: oauthApp.clientId, value: typed?.get('clientId'), error: errors?.fields.clientId, isRequired: true, isCode: true, maxLength: 1_024 })}
${textField({ name: 'clientSecret', label: oauthApp.clientSecret, type: 'password', hint: oauthApp.secretHint, error: errors?.fields.clientSecret, isCode: true, maxLength: 8_192 })}
<div class="buttons">${submitButton({ text: oauthApps.addButton, icon: 'plus', disabledBecause: whyNot(view, 'apps:write') })}</div></form>`,
  )
}

async function add(view: Submission): Promise<Answer> {
  const { api, words, form, formId } = view
  const { definition, path } = await load(view)
  const read = (name: string) => form.get(name)?.trim() || undefined
  const [name, clientSecret] = [read('integrationOAuthAppName'), read('clientSecret')]
  const issuer = read('issuer')
  return explain(view, async () => {
    await api.oauthApps.create(
      {
        integrationDefinitionId: definition.integrationDefinitionId,
        clientId: read('clientId') ?? '',
        isDefault: false,
        ...(clientSecret !== undefined && { clientSecret }),
        ...(name !== undefined && { integrationOAuthAppName: name }),
        ...(issuer !== undefined && { issuer }),
      },
      { idempotencyKey: formId },
    )
    return { location: path, notice: words.oauthApps.added }
  })
}

async function makeDefault(view: Submission): Promise<Answer> {
  const { api, words } = view
  const { path } = await load(view)
  return explain(view, async () => {
    await api.oauthApps.update(readId(view, 'app'), { isDefault: true, replaceDefault: true })
    return { location: path, notice: words.oauthApps.madeDefault }
  })
}

async function setSuccessor(view: Submission): Promise<Answer> {
  const { api, words, form } = view
  const { path } = await load(view)
  const successorId = form.get('successorId') || null
  return explain(view, async () => {
    await api.oauthApps.update(readId(view, 'from'), { successorId })
    const { moving, notMoving } = words.oauthApps
    return { location: path, notice: successorId === null ? notMoving : moving }
  })
}

/** Creates the page on which a customer's administrator enters an app, and shows its address once. */
async function handOff(view: Submission): Promise<Answer> {
  const { api, words, form, formId, now } = view
  const { definition, path } = await load(view)
  const { oauthApps } = words
  const customer = form.get('accountIdentifier')?.trim() ?? ''
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

/** The page again, with what was entered, and what is wrong: in words, and at the fields. */
async function explain(view: Submission, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (!isLinchpinError(error) || error.status >= 500) throw error
    const errors =
      error.status === 404 ? { message: undefined, fields: {} } : toFormErrors(error, FIELDS)
    const hasFields = Object.keys(errors.fields).length > 0
    const title = describeError(error, view, hasFields)
    return show(view, { status: 422, banner: banner('bad', { title }), typed: view.form, errors })
  }
}

const FIELDS = [
  'integrationOAuthAppName',
  'issuer',
  'clientId',
  'clientSecret',
  'accountIdentifier',
  'successorId',
]

function describeError(
  { code, message }: LinchpinError,
  { words: { oauthApps, oauthApp } }: View,
  hasFields: boolean,
): string {
  switch (code) {
    case 'already_exists':
      return oauthApps.errors.exists
    case 'unknown_reference':
      return oauthApps.errors.successor
    case 'auth_type_not_allowed':
      return oauthApp.errors.noType
    default:
      return hasFields ? oauthApp.errors.invalid : message
  }
}
