import {
  type ExtendedIntegrationDefinition,
  type IntegrationAccount,
  type IntegrationOAuthApp,
  type IntegrationSpec,
  isLinchpinError,
  LinchpinConnectionError,
  type LinchpinError,
  type ListedIntegrationDefinition,
  type OAuthAppReport,
  type UpdateOAuthApp,
} from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { type Choice, choices } from '../parts/choices.ts'
import { banner, codeTag, copyable, longList, panel, submitButton, tile } from '../parts/content.ts'
import { dialog } from '../parts/dialog.ts'
import { areaField, textField } from '../parts/fields.ts'
import { issuerField } from '../parts/issuer-field.ts'
import { type ConnectionStatus, describeStatus, statusBadge } from '../parts/status.ts'
import { emptyState } from '../parts/table.ts'
import { exactTime } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'
import type { Words } from '../words/en.ts'
import { openConnectPage } from './connect-page-dialog.ts'
import { findApp, safeUrl } from './integration.ts'
import { appConnections, describeUse } from './oauth-apps.ts'

const INTEGRATIONS = '/console/integrations'
const APPS = '/console/oauth-apps'
/** The customer of sign-ins that try an app. */
const TESTER = 'console-test'

const wizard = {
  show: (view: View) => show(view),
  actions: {
    '/save': save,
    '/check': check,
    '/sign-in': signIn,
    '/delete': remove,
  },
}

/** How do I let customers sign in at this provider? */
export const oauthAppScreen: Screen = {
  path: '/integrations/:integrationDefinitionId/oauth-app',
  ...wizard,
}

/** The same for an app that need not be the default. */
export const otherOAuthAppScreen: Screen = {
  path: '/oauth-apps/:integrationOAuthAppId',
  ...wizard,
}

interface Wizard {
  readonly definition: ExtendedIntegrationDefinition
  readonly listed: ListedIntegrationDefinition | undefined
  readonly spec: IntegrationSpec
  readonly app: IntegrationOAuthApp | undefined
  /** What the last sign-in of step 4 has made. */
  readonly tried: IntegrationAccount | undefined
  readonly path: string
}

/** What an action adds to the page. */
interface Outcome {
  readonly status?: number
  readonly banner?: Html
  readonly dialog?: Html
  readonly report?: OAuthAppReport
  /** What was typed, and what is wrong with it. */
  readonly typed?: URLSearchParams
  readonly errors?: LinchpinError['errors']
}

async function show(view: View, outcome: Outcome = {}): Promise<Answer> {
  const { words } = view
  const wizard = await load(view)
  const { definition, app, path } = wizard
  const home = `${INTEGRATIONS}/${definition.integrationDefinitionId}`
  const hasSignIn = wizard.listed?.authTypes.some(({ kind }) => kind === 'sign_in') === true
  return {
    title: getTitle(view, wizard),
    section: 'integrations',
    parent:
      app === undefined
        ? { href: home, label: definition.name }
        : { href: `${home}/oauth-apps`, label: words.oauthApps.title(definition.name) },
    note: app === undefined ? undefined : renderUse(view, app),
    mark: tile(definition.icon, 'large'),
    actions: app === undefined ? [] : [deleteDialog(view, path, app)],
    banner: outcome.banner ?? renderAppBanner(view, wizard),
    main:
      !hasSignIn && app === undefined
        ? emptyState({ icon: 'key', text: words.oauthApp.none })
        : html`<div class="steps">${renderRegister(view, wizard)}${renderForm(view, wizard, outcome)}${renderCheck(view, wizard, outcome.report)}${renderSignIn(view, wizard, isGood(outcome.report))}</div>${outcome.dialog}`,
    // Someone who signs in elsewhere waits for the result here.
    isLive: outcome.dialog !== undefined,
    ...(outcome.status !== undefined && { status: outcome.status }),
  }
}

function renderAppBanner({ words }: View, { app, definition }: Wizard): Html | undefined {
  if (app === undefined || app.failingSince === null) return undefined
  return banner('bad', {
    title: html`${words.oauthApp.rejectedSince(definition.name)} ${exactTime(app.failingSince)}`,
    text: words.oauthApp.rejectedText,
  })
}

function getTitle({ words, params }: View, { app, definition }: Wizard): string {
  return app === undefined || params.integrationOAuthAppId === undefined
    ? words.oauthApp.title(definition.name)
    : words.oauthApp.titleOf(app.integrationOAuthAppName)
}

/** Whom it is for and the connections that it has. */
function renderUse(view: View, app: IntegrationOAuthApp): Html {
  const { oauthApps } = view.words
  return html`${describeUse(app, oauthApps)} · <a href="${appConnections(app)}">${oauthApps.countOf(app.accounts)}</a>`
}

async function load({ api, params }: View): Promise<Wizard> {
  const { integrationDefinitionId, integrationOAuthAppId } = params
  const named =
    integrationOAuthAppId === undefined ? undefined : await api.oauthApps.get(integrationOAuthAppId)
  const definition = await api.definitions.get(
    named?.integrationDefinitionId ?? integrationDefinitionId ?? '',
  )
  const { integrationDefinitionId: id, key } = definition
  const [spec, listed, app, [tried]] = await Promise.all([
    api.definitions.getSpec(id),
    api.definitions.list({ key }).first(1),
    named ?? findApp(api, id),
    api.accounts
      .list({
        accountIdentifier: TESTER,
        integrationDefinitionId: id,
        integrationOAuthAppId,
        order: '-createdAt',
      })
      .first(1),
  ])
  return {
    definition,
    spec: spec as unknown as IntegrationSpec,
    listed: listed.find((each) => each.integrationDefinitionId === id),
    app,
    tried,
    // As in the URL of this page: the token of a form belongs to its path.
    path:
      integrationOAuthAppId === undefined
        ? `${INTEGRATIONS}/${integrationDefinitionId}/oauth-app`
        : `${APPS}/${integrationOAuthAppId}`,
  }
}

/** Only with what the API tells: it does not know the page of a provider where apps are registered. */
function renderRegister(
  { words, publicUrl }: View,
  { definition: { name }, listed, spec }: Wizard,
): Html {
  const { oauthApp } = words
  const redirectUri = `${publicUrl}/api/v1/oauth/callback`
  const documentation = safeUrl(listed?.documentationUrl)
  const types = Object.values(spec.auth_specification)
  const hosts = types.flatMap(
    ({ authorization_url: url }) => /^https?:\/\/([^/?#]+)/.exec(url ?? '')?.[1] ?? [],
  )
  const scopes = [...new Set(types.flatMap((type) => type.default_scopes ?? []))]
  return panel(
    oauthApp.register,
    html`<div class="stack"><p>${oauthApp.registerText(name)}</p>
<p class="value">${copyable(redirectUri, words)}</p>
${redirectUri.startsWith('http:') ? html`<p class="quiet">${words.app.localAddress}</p>` : ''}
${scopes.length === 0 ? '' : html`<div><p>${oauthApp.allow}</p>${longList(scopes.map(codeTag), 'tags', words)}</div>`}
<p class="quiet">${[...new Set(hosts)].map((host) => html`${oauthApp.registerAt(host)} `)}${documentation === undefined ? '' : html`<a href="${documentation}" target="_blank" rel="noopener noreferrer">${oauthApp.documentation(name)}</a>`}</p></div>`,
  )
}

function renderForm(
  view: View,
  { app, path, spec }: Wizard,
  { typed, errors = {} }: Outcome,
): Html {
  const { oauthApp } = view.words
  const value = (name: string, stored: string | undefined) => typed?.get(name) ?? stored
  const error = (name: string) => listErrors(errors, name, readLines(typed, name))
  const action = `${path}/save`
  const redirectName = findRedirectName(spec)
  const issuer = renderIssuer(view, { app, spec }, typed?.get('issuer'), error('issuer'))
  const hasMore = typed !== undefined || (app !== undefined && hasOptions(app))
  return panel(
    oauthApp.enter,
    html`<form method="post" action="${action}" class="stack">${view.formFields(action)}${issuer}
${textField({ name: 'clientId', label: oauthApp.clientId, value: value('clientId', app?.clientId), error: error('clientId'), isRequired: true, isCode: true, maxLength: 1_024 })}
${textField({ name: 'clientSecret', label: oauthApp.clientSecret, type: 'password', hint: app === undefined ? oauthApp.secretHint : oauthApp.secretStored, error: error('clientSecret'), isCode: true, maxLength: 8_192 })}
${redirectName === undefined ? '' : textField({ name: 'redirectName', label: redirectName, value: value('redirectName', app?.redirectName ?? undefined), hint: oauthApp.redirectNameHint, error: error('redirectName'), isRequired: true, isCode: true, maxLength: 1_024 })}
<details class="help"${hasMore ? html` open` : ''}><summary>${oauthApp.more}</summary><div class="stack">${textField({ name: 'integrationOAuthAppName', label: oauthApp.name, value: value('integrationOAuthAppName', app?.integrationOAuthAppName), hint: oauthApp.nameHint, error: error('integrationOAuthAppName'), maxLength: 200 })}
${areaField({ name: 'scopes', label: oauthApp.scopes, value: value('scopes', app?.scopes.join('\n')), hint: oauthApp.scopesHint, error: error('scopes'), isCode: true, rows: rowsFor(app?.scopes) })}
${choices({ name: 'scopesMode', type: 'radio', label: oauthApp.scopesMode, choices: listModes(oauthApp), chosen: [value('scopesMode', app?.scopesMode) ?? 'add'], error: error('scopesMode') })}
${areaField({ name: 'optionalScopes', label: oauthApp.optionalScopes, value: value('optionalScopes', app?.optionalScopes.join('\n')), hint: oauthApp.optionalScopesHint, error: error('optionalScopes'), isCode: true, rows: rowsFor(app?.optionalScopes) })}
${areaField({ name: 'allowedHosts', label: oauthApp.hosts, value: value('allowedHosts', app?.allowedHosts.join('\n')), hint: oauthApp.hostsHint, error: error('allowedHosts'), isCode: true, rows: 2 })}</div></details>
<div class="buttons">${submitButton({ text: app === undefined ? oauthApp.create : oauthApp.save, kind: app === undefined ? 'primary' : undefined, disabledBecause: whyNot(view, 'apps:write') })}</div></form>`,
  )
}

/** The server that a client is registered with, which the spec of the tool does not name: it cannot be changed. */
function renderIssuer(
  { words: { oauthApp } }: View,
  { app, spec }: Pick<Wizard, 'app' | 'spec'>,
  typed: string | null | undefined,
  error: string | undefined,
): Html | string {
  if (app?.issuer != null)
    return html`<p class="quiet">${oauthApp.issuer}: <code>${app.issuer}</code></p>`
  const isNamed = !Object.values(spec.auth_specification).some(({ discovery }) => discovery)
  return app !== undefined || isNamed ? '' : issuerField(oauthApp, typed, error)
}

function listModes({ scopesModes }: Words['oauthApp']): Choice[] {
  return Object.entries(scopesModes).map(([value, texts]) => ({ value, ...texts }))
}

/** Enough to see some of a long list. */
function rowsFor(lines: readonly string[] = []): number {
  return Math.min(Math.max(lines.length, 2), 8)
}

function hasOptions({
  scopes,
  optionalScopes,
  scopesMode,
  allowedHosts,
}: IntegrationOAuthApp): boolean {
  const lists = [scopes, optionalScopes, allowedHosts]
  return scopesMode !== 'add' || lists.some((list) => list.length > 0)
}

/** What the provider calls the value that it expects in place of the redirect URI. */
function findRedirectName(spec: IntegrationSpec): string | undefined {
  const types = Object.values(spec.auth_specification)
  return types.map((type) => type['x-redirect-name']).find((name) => name !== undefined)
}

/** The messages of a field and of the items in it: `scopes.0` is about the first of them. */
function listErrors(
  errors: LinchpinError['errors'],
  name: string,
  items: readonly string[],
): string | undefined {
  const messages = Object.entries(errors)
    .filter(([path]) => path === name || path.startsWith(`${name}.`))
    .flatMap(([path, problems]) => {
      const item = items[Number(path.slice(name.length + 1) || Number.NaN)]
      return problems.map(({ message }) => (item === undefined ? message : `${item}: ${message}`))
    })
  return messages.length === 0 ? undefined : [...new Set(messages)].join(' ')
}

function renderCheck(
  view: View,
  { definition, app, path }: Wizard,
  report: OAuthAppReport | undefined,
): Html {
  const { oauthApp } = view.words
  if (app === undefined)
    return panel(oauthApp.check, html`<p class="quiet">${oauthApp.checkAfterSave}</p>`)
  const action = `${path}/check`
  return panel(
    oauthApp.check,
    html`<div class="stack"><p>${oauthApp.checkText(definition.name)}</p>
${report === undefined ? renderRejection(app, view.words) : renderChecks(report.checks, view.words.oauthApp, true)}
<form method="post" action="${action}">${view.formFields(action)}${submitButton({ text: report === undefined ? oauthApp.checkButton : oauthApp.checkAgain, icon: 'refresh', kind: report === undefined ? 'primary' : undefined, disabledBecause: whyNot(view, 'apps:write') })}</form></div>`,
  )
}

/** @param isResult whether the person has just asked for them: the page then begins there */
function renderChecks(
  checks: readonly {
    readonly name: string
    readonly status: string
    readonly message: Html | string
  }[],
  oauthApp: Words['oauthApp'],
  isResult = false,
): Html {
  return html`<ul class="rows" aria-label="${oauthApp.check}"${isResult ? html` tabindex="-1" autofocus` : ''}>${checks.map(
    ({ name, status, message }) => {
      const todo = getTodo(name, status, oauthApp)
      return html`<li><p class="line"><b>${oauthApp.checks[name as keyof typeof oauthApp.checks] ?? name}</b>${statusBadge(describeCheck(status, oauthApp))}</p><p>${message}</p>${todo === undefined ? '' : html`<p class="quiet">${todo}</p>`}</li>`
    },
  )}</ul>`
}

/** What refreshes and sign-ins have found out, as a check that failed. */
function renderRejection(
  { failingSince }: IntegrationOAuthApp,
  { oauthApp }: Words,
): Html | string {
  if (failingSince === null) return ''
  return renderChecks(
    [
      {
        name: 'client_credentials',
        status: 'failed',
        message: html`${oauthApp.rejectedCheck} ${exactTime(failingSince)}.`,
      },
    ],
    oauthApp,
  )
}

/** What to do beyond what the message says; warnings say it themselves. */
function getTodo(
  name: string,
  status: string,
  { todo, unknownTodo }: Words['oauthApp'],
): string | undefined {
  if (status === 'failed') return todo[name as keyof typeof todo]
  return status === 'unknown' ? unknownTodo : undefined
}

function describeCheck(status: string, { results }: Words['oauthApp']): ConnectionStatus {
  switch (status) {
    case 'ok':
      return { label: results.ok, tone: 'good', icon: 'good' }
    case 'warning':
      return { label: results.warning, tone: 'warn', icon: 'alert' }
    case 'failed':
      return { label: results.failed, tone: 'bad', icon: 'error' }
    default:
      return { label: results.unknown, tone: 'quiet', icon: 'info' }
  }
}

/** A sign-in is the next step after checks that found nothing wrong. */
function isGood(report: OAuthAppReport | undefined): boolean {
  return report?.checks.every(({ status }) => status !== 'failed') === true
}

function renderSignIn(view: View, { app, tried, path }: Wizard, isReady: boolean): Html {
  const { oauthApp } = view.words
  if (app === undefined)
    return panel(oauthApp.signIn, html`<p class="quiet">${oauthApp.checkAfterSave}</p>`)
  if (app.accountIdentifier !== null)
    return panel(oauthApp.signIn, html`<p class="quiet">${oauthApp.signInOwn}</p>`)
  const action = `${path}/sign-in`
  return panel(
    oauthApp.signIn,
    html`<div class="stack" id="sign-in"><p>${oauthApp.signInText}</p>
${tried === undefined ? '' : html`<p>${oauthApp.tried} <a href="/console/connections/${tried.integrationAccountId}">${tried.integrationAccountName || tried.integrationAccountId}</a> ${statusBadge(describeStatus(tried, view.words))}</p>`}
<form method="post" action="${action}">${view.formFields(action)}${submitButton({ text: oauthApp.signInButton, kind: isReady ? 'primary' : undefined, disabledBecause: whyNot(view, 'links:write') })}</form></div>`,
  )
}

function deleteDialog(view: View, path: string, { isDefault }: IntegrationOAuthApp): Html {
  const { words } = view
  const action = `${path}/delete`
  return dialog({
    id: 'delete',
    trigger: {
      text: words.oauthApp.delete,
      icon: 'trash',
      disabledBecause: whyNot(view, 'apps:write'),
    },
    title: words.oauthApp.deleteTitle,
    content: html`<p>${words.oauthApp.deleteText} ${isDefault ? words.oauthApp.deleteDefaultText : ''}</p>
<form method="post" action="${action}">${view.formFields(action)}<div class="buttons">${submitButton({ text: words.oauthApp.delete, icon: 'trash', kind: 'danger' })}</div></form>`,
    words,
  })
}

async function save(view: Submission): Promise<Answer> {
  const { words, form } = view
  const { app, definition, path } = await load(view)
  if (form.get('clientId')?.trim() === '')
    return correct(view, {
      title: words.oauthApp.errors.invalid,
      errors: { clientId: [{ code: 'required', message: words.oauthApp.errors.required }] },
    })
  try {
    if (app === undefined) await create(view, definition)
    else await view.api.oauthApps.update(app.integrationOAuthAppId, readChanges(form, app))
  } catch (error) {
    if (!isLinchpinError(error)) throw error
    return explain(view, error)
  }
  const notice = app === undefined ? words.oauthApp.created : words.oauthApp.saved
  return { location: path, notice }
}

function create(
  { api, form, formId }: Submission,
  { integrationDefinitionId }: ExtendedIntegrationDefinition,
): Promise<IntegrationOAuthApp> {
  const allowedHosts = readLines(form, 'allowedHosts')
  const name = readText(form, 'integrationOAuthAppName')
  const clientSecret = readText(form, 'clientSecret')
  const redirectName = readText(form, 'redirectName')
  const issuer = readText(form, 'issuer')
  return api.oauthApps.create(
    {
      integrationDefinitionId,
      clientId: readText(form, 'clientId') ?? '',
      scopes: readLines(form, 'scopes'),
      optionalScopes: readLines(form, 'optionalScopes'),
      ...readMode(form),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(name !== undefined && { integrationOAuthAppName: name }),
      ...(redirectName !== undefined && { redirectName }),
      ...(issuer !== undefined && { issuer }),
      // Without the field, a catalogue integration has the hosts of its provider.
      ...(allowedHosts.length > 0 && { allowedHosts }),
    },
    { idempotencyKey: formId },
  )
}

/** Only what was changed: a host that is sent again needs no secret, but a new one does. */
function readChanges(form: URLSearchParams, app: IntegrationOAuthApp) {
  const clientSecret = readText(form, 'clientSecret')
  const redirectName = readText(form, 'redirectName')
  const clientId = readText(form, 'clientId')
  const name = readText(form, 'integrationOAuthAppName')
  const scopes = readLines(form, 'scopes')
  const optionalScopes = readLines(form, 'optionalScopes')
  const allowedHosts = readLines(form, 'allowedHosts')
  const { scopesMode } = readMode(form)
  const isSame = (a: readonly string[], b: readonly string[]) => a.join('\n') === b.join('\n')
  return {
    ...(clientSecret !== undefined && { clientSecret }),
    ...(clientId !== undefined && clientId !== app.clientId && { clientId }),
    ...(name !== undefined &&
      name !== app.integrationOAuthAppName && { integrationOAuthAppName: name }),
    ...(redirectName !== undefined && redirectName !== app.redirectName && { redirectName }),
    ...(!isSame(scopes, app.scopes) && { scopes }),
    ...(scopesMode !== undefined && scopesMode !== app.scopesMode && { scopesMode }),
    ...(!isSame(optionalScopes, app.optionalScopes) && { optionalScopes }),
    ...(!isSame(allowedHosts, app.allowedHosts) && { allowedHosts }),
  }
}

/** What was chosen; the API says whether it is a mode. */
function readMode(form: URLSearchParams): { readonly scopesMode?: ScopesMode } {
  const scopesMode = readText(form, 'scopesMode') as ScopesMode | undefined
  return scopesMode === undefined ? {} : { scopesMode }
}

type ScopesMode = NonNullable<UpdateOAuthApp['scopesMode']>

function readText(form: URLSearchParams, name: string): string | undefined {
  return form.get(name)?.trim() || undefined
}

function readLines(form: URLSearchParams | undefined, name: string): string[] {
  return (form?.get(name) ?? '').split(/[\s,]+/).filter(Boolean)
}

/** The page again, with what was typed and what is wrong, in words. */
function explain(view: Submission, error: LinchpinError): Promise<Answer> {
  const { errors } = view.words.oauthApp
  switch (error.code) {
    case 'oauth_app_secret_required':
    case 'secret_required':
      return correct(view, {
        title: errors.secretRequired,
        errors: { clientSecret: [{ code: error.code, message: errors.secretRequired }] },
      })
    case 'already_exists':
      return correct(view, { title: errors.exists })
    case 'auth_type_not_allowed':
      return correct(view, { title: errors.noType })
    case 'mcp_server_invalid':
      return correct(view, {
        title: errors.invalid,
        errors: { issuer: [{ code: error.code, message: error.message }] },
      })
    case 'validation_failed':
      return correct(view, { title: errors.invalid, errors: error.errors })
    default:
      throw error
  }
}

function correct(
  view: Submission,
  { title, errors = {} }: { readonly title: string; readonly errors?: LinchpinError['errors'] },
): Promise<Answer> {
  return show(view, {
    status: 422,
    banner: banner('bad', { title }),
    typed: view.form,
    errors,
  })
}

/** Asks the provider; longer than other calls of the console, because the provider may be slow. */
async function check(view: Submission): Promise<Answer> {
  const { api, words } = view
  const { app, path } = await load(view)
  if (app === undefined) return { location: path }
  const { errors } = words.oauthApp
  try {
    const report = await api.oauthApps.test(app.integrationOAuthAppId, { timeoutMs: CHECK_MS })
    return await show(view, { report })
  } catch (error) {
    if (isLinchpinError(error, 'oauth_app_secret_required'))
      return show(view, { status: 422, banner: banner('bad', { title: errors.checkSecret }) })
    if (isLinchpinError(error, 'auth_type_not_allowed'))
      return show(view, { status: 422, banner: banner('bad', { title: errors.noType }) })
    if (error instanceof LinchpinConnectionError)
      return show(view, { status: 422, banner: banner('bad', { title: errors.unreachable }) })
    throw error
  }
}

const CHECK_MS = 20_000

async function signIn(view: Submission): Promise<Answer> {
  const { words } = view
  const { definition, path } = await load(view)
  const { integrationOAuthAppId } = view.params
  const page = await openConnectPage(view, {
    integrationDefinitionId: definition.integrationDefinitionId,
    ...(integrationOAuthAppId !== undefined && { integrationOAuthAppId }),
    accountIdentifier: TESTER,
    title: words.oauthApp.signInTitle,
    text: words.oauthApp.signInPage,
    back: `${path}#sign-in`,
  })
  return show(view, { dialog: page })
}

async function remove(view: Submission): Promise<Answer> {
  const { api, words, params } = view
  const { app, definition, path } = await load(view)
  if (app === undefined) return { location: path }
  try {
    await api.oauthApps.delete(app.integrationOAuthAppId)
  } catch (error) {
    if (!isLinchpinError(error, 'oauth_app_in_use')) throw error
    const { inUse } = words.oauthApp.errors
    return show(view, { status: 422, banner: banner('bad', { title: inUse }) })
  }
  const isNamed = params.integrationOAuthAppId !== undefined
  const apps = `${INTEGRATIONS}/${definition.integrationDefinitionId}/oauth-apps`
  return { location: isNamed ? apps : path, notice: words.oauthApp.deleted }
}
