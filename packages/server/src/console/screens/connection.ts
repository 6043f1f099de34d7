import type {
  AccountChange,
  AccountHealth,
  Attempt,
  IntegrationAccount,
  IntegrationDefinition,
  LoggedRequest,
} from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import {
  banner,
  copyable,
  facts,
  linkButton,
  panel,
  snippet,
  submitButton,
  tile,
} from '../parts/content.ts'
import { customerLink } from '../parts/customer-link.ts'
import { dialog } from '../parts/dialog.ts'
import { icon } from '../parts/icons.ts'
import { share } from '../parts/share.ts'
import { type ConnectionStatus, describeStatus, statusBadge } from '../parts/status.ts'
import { formatNumber } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { type TimelineEntry, timeline } from '../parts/timeline.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import type { Words } from '../words/en.ts'
import {
  describeRequest,
  listLacking,
  loadSignInFacts,
  renderPermissions,
  type SignInFacts,
} from './connection-permissions.ts'
import { changeDebugWindow, renderDebugWindow } from './debug-window.ts'
import { requestHref, requestTable } from './request-rows.ts'
import { suspectBanner } from './suspect.ts'

const PATH = '/console/connections'

/** Why does it not work, and who has to act? */
export const connectionScreen: Screen = {
  path: '/connections/:integrationAccountId',
  show: (view) => show(view),
  actions: {
    '/check': check,
    '/debug': changeDebugWindow,
    '/permissions': askForPermissions,
    '/share': shareReconnectPage,
    '/disconnect': disconnect,
  },
}

interface Connection {
  readonly account: IntegrationAccount
  readonly definition: Pick<IntegrationDefinition, 'name' | 'icon'> | undefined
  readonly changes: readonly AccountChange[]
  readonly attempts: readonly Attempt[]
  /** The last ones. */
  readonly requests: readonly LoggedRequest[]
  /** Requests to the provider that failed. */
  readonly failures: readonly LoggedRequest[]
  readonly health: AccountHealth
  readonly status: ConnectionStatus
  readonly signIn: SignInFacts
}

async function show(
  view: View,
  extra: Partial<Page> & { readonly dialog?: Html } = {},
): Promise<Answer> {
  const { words } = view
  const connection = await load(view)
  const { account, definition, status, health } = connection
  const name = definition?.name ?? account.integrationDefinitionId
  const isElevated = (await view.openApi('elevated')) !== undefined
  return {
    title: name,
    section: 'connections',
    parent: { href: PATH, label: words.sections.connections },
    mark: tile(definition?.icon ?? '', 'large'),
    note: html`${account.identity?.label ?? account.integrationAccountName}`,
    actions: account.deleted === null ? renderActions(view, connection, name) : [],
    banner: html`${(await suspectBanner(view, { id: account.integrationDefinitionId, name })) ?? ''}${renderBanner(view, connection, name) ?? ''}`,
    isLive: true,
    main: html`<div class="columns"><div>${panel(words.connection.timeline, timeline(describeTimeline(view, connection), view.now, words), html`<a href="/console/logs?view=events&amp;subject=${account.integrationAccountId}">${words.logs.events}</a>`)}${renderRequests(view, connection)}${panel(words.connection.use, renderUse(view, account))}</div>
<aside>${panel(words.connection.facts, renderFacts(view, connection, status))}${account.deleted === null ? html`${panel(words.connection.health.title, renderHealth(view, health))}${renderPermissions(view, account, health, connection.signIn.labels)}${renderDebugWindow(view, account, health, isElevated)}` : ''}</aside></div>${extra.dialog}`,
    ...(extra.status !== undefined && { status: extra.status }),
  }
}

async function load(view: View): Promise<Connection> {
  const { api, params, words, definitionNames } = view
  const id = params.integrationAccountId ?? ''
  const account = await api.accounts.get(id)
  const definitionId = account.integrationDefinitionId
  // The list does not have what was removed since.
  const findDefinition = async () =>
    (await definitionNames()).get(definitionId) ??
    (await api.definitions.get(definitionId).catch(ignoreNotFound))
  const [definition, changes, attempts, requests, failures, health] = await Promise.all([
    findDefinition(),
    api.accounts.listHistory(id).first(200),
    api.attempts.list({ integrationAccountId: id }).first(50),
    api.requests.list({ integrationAccountId: id }).first(20),
    api.requests.list({ integrationAccountId: id, kind: 'provider', outcome: 'failed' }).first(50),
    api.accounts.getHealth(id),
  ])
  return {
    account,
    definition,
    changes,
    attempts,
    requests,
    failures,
    health,
    status: describeStatus(account, words),
    signIn: await loadSignInFacts(view, account, health),
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (isLinchpinError(error) && error.status === 404) return undefined
  throw error
}

function renderActions(view: View, { account, signIn }: Connection, name: string): Html[] {
  const { words } = view
  const path = `${PATH}/${account.integrationAccountId}`
  return [
    dialog({
      id: 'disconnect',
      trigger: {
        text: words.connection.disconnect,
        icon: 'disconnect',
        disabledBecause: whyNot(view, 'accounts:write'),
      },
      title: words.connection.disconnectTitle(name),
      content: html`<p>${words.connection.disconnectText(account.accountIdentifier ?? account.integrationAccountName, name)}</p>
<form method="post" action="${path}/disconnect" class="stack">${view.formFields(`${path}/disconnect`)}
<label class="field"><span>${words.connection.typeToConfirm(DISCONNECT_WORD)}</span><input name="confirmation" autocomplete="off" spellcheck="false" required pattern="${DISCONNECT_WORD}"></label>
<div class="buttons">${submitButton({ text: words.connection.disconnect, icon: 'disconnect', kind: 'danger' })}</div></form>`,
      words,
    }),
    signIn.isAtMcpServer
      ? linkButton({ text: words.connectionTools.open, icon: 'terminal' }, `${path}/tools`)
      : linkButton({ text: words.testRequest.open, icon: 'terminal' }, `${path}/request`),
    ...(account.status === 'pending' ? [] : [renderCheckButton(view, account)]),
    html`<form method="post" action="${path}/share">${view.formFields(`${path}/share`)}${submitButton({ text: words.connection.share, icon: 'send', kind: isUnchecked(account) ? undefined : 'primary', disabledBecause: whyNot(view, 'accounts:reconnect') })}</form>`,
  ]
}

function renderCheckButton(view: View, account: IntegrationAccount): Html {
  const path = `${PATH}/${account.integrationAccountId}/check`
  return html`<form method="post" action="${path}">${view.formFields(path)}${submitButton({ text: view.words.connection.check, icon: 'refresh', kind: isUnchecked(account) ? 'primary' : undefined, disabledBecause: whyNot(view, 'accounts:reconnect') })}</form>`
}

function isUnchecked({ statusReason }: IntegrationAccount): boolean {
  return statusReason === 'unchecked'
}

const DISCONNECT_WORD = 'disconnect'

function renderBanner(
  view: View,
  { account, status, health }: Connection,
  name: string,
): Html | undefined {
  const { words, now } = view
  const { banners } = words.connection
  const customer = account.accountIdentifier ?? words.connection.theCustomer
  if (account.deleted !== null)
    return banner('info', {
      title: banners.disconnected,
      text: timeAgo(account.deleted, now, words),
    })
  if (health.isHeld && account.status === 'active')
    return banner('warn', { title: banners.held, text: renderNextCheck(health, now, words) })
  // Its status does not tell yet.
  if (health.rejections > 0 && account.status === 'active')
    return banner('warn', {
      title: banners.rejected,
      text: html`${banners.rejectedText(customer)} ${renderNextCheck(health, now, words)}`,
    })
  const reason = words.connection.reasons[
    account.statusReason as keyof typeof words.connection.reasons
  ] as string | undefined
  const text = html`${reason ?? account.statusReason} ${status.actor === undefined ? '' : banners.whoActs[status.actor](customer, name)}`
  if (status.tone === 'good') return undefined
  return banner(status.tone === 'bad' ? 'bad' : 'warn', {
    title: html`${status.label} ${words.connection.since} ${exactTime(account.statusSince)}`,
    text,
    action: renderRepair(account, words),
  })
}

function renderNextCheck({ nextCheckAt }: AccountHealth, now: number, words: Words): Html {
  const { banners } = words.connection
  if (nextCheckAt === null || isDue(nextCheckAt, now)) return html`${banners.heldNow}`
  return html`${banners.heldUntil} ${timeAgo(nextCheckAt, now, words)}.`
}

function isDue(nextCheckAt: string | null, now: number): boolean {
  return nextCheckAt !== null && Date.parse(nextCheckAt) <= now
}

/** Where your team repairs what it has to repair. */
function renderRepair(
  { status, statusReason, integrationDefinitionId: id }: IntegrationAccount,
  words: Words,
): Html | undefined {
  if (status !== 'error') return undefined
  const path = `/console/integrations/${id}`
  if (OAUTH_APP_REASONS.has(statusReason ?? ''))
    return linkButton({ text: words.oauthApp.open, icon: 'key' }, `${path}/oauth-app`)
  return INTEGRATION_REASONS.has(statusReason ?? '')
    ? linkButton({ text: words.connection.openIntegration, icon: 'integrations' }, path)
    : undefined
}

const OAUTH_APP_REASONS = new Set([
  'invalid_client',
  'oauth_app_missing',
  'oauth_app_secret_required',
])
const INTEGRATION_REASONS = new Set(['auth_type_missing', 'invalid_config'])

function describeTimeline(
  { words }: View,
  { changes, attempts, failures }: Connection,
): TimelineEntry[] {
  const { actions, causes } = words.connection
  const ofChanges = changes.map((change): TimelineEntry => {
    const { tone, icon } = describeStatus(change, words)
    // The history has no result of a check: only its effect on the status.
    const isOpen = change.action === 'account.checked' && tone === 'good'
    return {
      at: change.timestamp,
      tone: isOpen ? 'quiet' : tone,
      icon: isOpen ? 'search' : icon,
      text: actions[change.action as keyof typeof actions] ?? change.action,
      detail: [
        change.statusReason,
        causes[change.cause.via as keyof typeof causes] ?? change.cause.via,
      ]
        .filter(Boolean)
        .join(' · '),
      requestId: change.cause.requestId ?? undefined,
    }
  })
  const ofAttempts = attempts
    .filter(({ outcome }) => outcome === 'failed')
    .map(
      (attempt): TimelineEntry => ({
        at: attempt.at,
        tone: 'bad',
        icon: 'error',
        text: words.connection.attemptFailed,
        detail: [
          attempt.code,
          attempt.providerStatus === null ? '' : `HTTP ${attempt.providerStatus}`,
        ]
          .filter(Boolean)
          .join(' · '),
        requestId: attempt.requestId ?? undefined,
      }),
    )
  const ofRequests = groupFailures(failures).map((group) => describeFailures(group, words))
  return [...ofChanges, ...ofAttempts, ...ofRequests].sort(
    (a, b) => Date.parse(b.at) - Date.parse(a.at),
  )
}

/** Failures with one status in a row, which are one entry: the newest first. */
function groupFailures(failures: readonly LoggedRequest[]): LoggedRequest[][] {
  const groups: LoggedRequest[][] = []
  for (const request of failures) {
    const group = groups.at(-1)
    const first = group?.[0]
    const isSame =
      first !== undefined &&
      first.status === request.status &&
      Date.parse(first.at) - Date.parse(request.at) < HOUR_MS
    if (isSame) group?.push(request)
    else groups.push([request])
  }
  return groups
}

const HOUR_MS = 60 * 60_000

function describeFailures(group: readonly LoggedRequest[], words: View['words']): TimelineEntry {
  const [newest] = group as [LoggedRequest]
  const { status, method, path, host } = newest
  const { requests } = words
  const count = group.reduce((sum, { represents }) => sum + represents, 0)
  const times = formatNumber(count)
  const others = new Set(group.map((each) => `${each.method} ${each.path}`)).size - 1
  const text =
    status === null
      ? count === 1
        ? requests.noResponseOnce
        : requests.noResponses(times)
      : count === 1
        ? requests.failure(`${status}`)
        : requests.failures(times, `${status}`)
  return {
    at: newest.at,
    tone: 'warn',
    icon: 'alert',
    text: html`<a href="${requestHref(newest)}">${text}</a>`,
    detail: html`<code>${method} ${host}${path}</code>${others === 0 ? '' : ` ${requests.otherPaths(formatNumber(others))}`}`,
  }
}

function renderRequests(view: View, { account, requests }: Connection): Html {
  const { words } = view
  const href = `/console/logs?view=provider&connection=${account.integrationAccountId}`
  return requests.length === 0
    ? panel(words.requests.requests, html`<p class="quiet">${words.requests.noneOfConnection}</p>`)
    : panel(
        words.requests.requests,
        requestTable(view, requests, { isCompact: true }),
        html`<a href="${href}">${words.requests.all}</a>`,
      )
}

function renderFacts(
  { words, now }: View,
  { account, definition, health }: Connection,
  status: ConnectionStatus,
): Html {
  const { connection } = words
  return facts([
    [connection.status, statusBadge(status)],
    [
      connection.customer,
      account.accountIdentifier === null ? undefined : customerLink(account.accountIdentifier),
    ],
    [connection.account, account.identity?.label ?? undefined],
    ...Object.entries(account.facts).map(([name, { value, label }]): [string, Html | string] => [
      name,
      label === null || label === value
        ? value
        : html`${label} <span class="quiet">${value}</span>`,
    ]),
    [connection.name, account.integrationAccountName],
    [connection.method, account.authType],
    [
      connection.integration,
      definition === undefined
        ? undefined
        : html`<a href="/console/integrations/${account.integrationDefinitionId}">${definition.name}</a> <span class="quiet">${health.version}</span>`,
    ],
    [connection.connected, exactTime(account.createdAt)],
    [connection.updated, timeAgo(account.updatedAt, now, words)],
    [
      connection.tags,
      Object.keys(account.tags).length === 0
        ? undefined
        : html`<span class="tags">${Object.entries(account.tags).map(([name, value]) => html`<span class="tag">${name}: ${value}</span>`)}</span>`,
    ],
    ['ID', copyable(account.integrationAccountId, words)],
  ])
}

/** What is known of the credentials. */
function renderHealth({ words, now }: View, health: AccountHealth): Html {
  const { health: texts } = words.connection
  const { token } = health
  const time = (at: string | null) => (at === null ? undefined : timeAgo(at, now, words))
  return facts([
    [texts.lastUsed, time(health.lastUsedAt) ?? texts.neverUsed],
    [texts.lastOk, time(health.lastOkAt) ?? texts.unknown],
    [texts.checked, time(health.checkedAt) ?? texts.unknown],
    [
      texts.nextCheck,
      isDue(health.nextCheckAt, now) ? html`${texts.dueNow}` : time(health.nextCheckAt),
    ],
    [texts.rejections, health.rejections === 0 ? undefined : texts.times(`${health.rejections}`)],
    [texts.lastError, renderLastError(health, now, words)],
    [texts.token, token?.expiresAt == null ? undefined : renderExpiry(token.expiresAt, now, words)],
    [texts.refreshed, token === null ? undefined : (time(token.refreshedAt) ?? texts.never)],
    [texts.failures, token === null || token.failures === 0 ? undefined : String(token.failures)],
  ])
}

/** An error that no success has followed stands out; each leads to the requests that failed. */
function renderLastError(
  { lastErrorAt, lastErrorCode, lastOkAt, integrationAccountId }: AccountHealth,
  now: number,
  words: Words,
): Html | undefined {
  if (lastErrorAt === null) return undefined
  const { errors } = words.connection.health
  const text = errors[lastErrorCode as keyof typeof errors] ?? lastErrorCode
  const isLatest = lastOkAt === null || lastOkAt < lastErrorAt
  const href = `/console/logs?view=provider&outcome=failed&connection=${integrationAccountId}`
  const time = timeAgo(lastErrorAt, now, words)
  return html`${isLatest ? html`<span class="status warn">${icon('alert', 16)}<span>${time}</span></span>` : time}<br><a href="${href}">${text}</a>`
}

function renderExpiry(expiresAt: string, now: number, words: Words): Html {
  const { health } = words.connection
  const text = Date.parse(expiresAt) <= now ? health.expired : health.expires
  return html`${text} ${timeAgo(expiresAt, now, words)}`
}

function renderUse({ words, publicUrl }: View, { integrationAccountId }: IntegrationAccount): Html {
  return html`${snippet(`const account = linchpin.account('${integrationAccountId}')\nconst response = await account.fetch('/…')`, words, 'TypeScript')}${snippet(`curl '${publicUrl}/api/v1/integration_account/${integrationAccountId}' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN"`, words, 'curl')}`
}

/** Asks the provider whether the stored credentials work. */
async function check({ api, words, params, formId }: Submission): Promise<Answer> {
  const id = params.integrationAccountId ?? ''
  const { checks } = words.connection
  const location = `${PATH}/${id}`
  try {
    const result = await api.accounts.recheck(id, {
      idempotencyKey: formId,
      timeoutMs: CHECK_MS,
    })
    if (result.status) return { location, notice: checks.works }
    if (result.rejections > 0 && result.account.status === 'active')
      return { location, notice: checks.rejected_once, noticeTone: 'alert' }
    const notice = checks[result.code as keyof typeof checks] ?? checks.credentials_rejected
    return { location, notice, noticeTone: 'alert' }
  } catch (error) {
    const notice = isLinchpinError(error) && CHECK_NOTICES[error.code]
    if (!notice) throw error
    return { location, notice: checks[notice], noticeTone: 'alert' }
  }
}

/** As long as a refresh that is in progress, one of its own, and two checks may take. */
const CHECK_MS = 60_000

/** Why nothing was found out, by code of the API. */
const CHECK_NOTICES: Readonly<Record<string, keyof Words['connection']['checks'] | undefined>> = {
  rate_limited: 'too_soon',
  check_in_progress: 'too_soon',
  refresh_in_progress: 'too_soon',
  provider_error: 'provider_unreachable',
  provider_timeout: 'provider_unreachable',
  circuit_open: 'provider_unreachable',
  egress_unavailable: 'egress_unavailable',
  oauth_app_missing: 'oauth_app',
  oauth_app_secret_required: 'oauth_app',
  integration_failed: 'integration_failed',
  integration_timeout: 'integration_failed',
  integration_limit: 'integration_failed',
  integration_bad_output: 'integration_failed',
}

/** Creates a connect session for this connection and shows its URL once. */
async function shareReconnectPage(view: Submission): Promise<Answer> {
  const { api, words, params, definitionNames } = view
  const account = await api.accounts.get(params.integrationAccountId ?? '')
  const { shareTitle: title, shareText: text, mail } = words.connection
  const definition = (await definitionNames()).get(account.integrationDefinitionId)
  const tool = definition?.name ?? account.integrationAccountName
  return showSession(view, await createSession(view, account), {
    title,
    text,
    mail: (url) => mail(url, tool),
  })
}

/** The same, for a session that requests the permissions that the connection lacks. */
async function askForPermissions(view: Submission): Promise<Answer> {
  const { api, words, params } = view
  const id = params.integrationAccountId ?? ''
  const [account, { permissions }] = await Promise.all([
    api.accounts.get(id),
    api.accounts.getHealth(id),
  ])
  const scopes = permissions === null ? [] : listLacking(permissions)
  const location = `${PATH}/${id}`
  if (scopes.length === 0) return { location }
  try {
    const session = await createSession(view, account, scopes)
    return await showSession(view, session, describeRequest(words, scopes))
  } catch (error) {
    if (!isLinchpinError(error) || error.code !== 'scope_not_allowed') throw error
    return { location, notice: words.connection.permissions.notAllowed, noticeTone: 'alert' }
  }
}

function createSession(
  { api, formId }: Submission,
  { integrationAccountId, integrationDefinitionId, accountIdentifier }: IntegrationAccount,
  scopes?: string[],
) {
  return api.connectSessions.create(
    {
      integrationAccountId,
      ...(accountIdentifier !== null && { accountIdentifier }),
      ...(scopes !== undefined && { scopes: { [integrationDefinitionId]: scopes } }),
      expiresIn: SHARE_SECONDS,
    },
    { idempotencyKey: formId },
  )
}

/** What the dialog says that shows the URL of a session. */
interface SessionTexts {
  readonly title: string
  readonly text: string
  readonly mail: (url: string) => string
}

function showSession(
  view: Submission,
  { url, expiresAt }: Awaited<ReturnType<typeof createSession>>,
  { title, text, mail }: SessionTexts,
): Promise<Answer> {
  const { words, params } = view
  return show(view, {
    dialog: html`<dialog open class="dialog" aria-labelledby="share-title"><h2 id="share-title">${title}</h2>
<p>${text} ${timeAgo(expiresAt, view.now, words)}.</p>
${share(url, words, snippet(mail(url), words, words.connection.mailLabel))}
<div class="buttons">${linkButton({ text: words.app.close }, `${PATH}/${params.integrationAccountId}`)}</div></dialog>`,
  })
}

/** A day: long enough for a mail. */
const SHARE_SECONDS = 24 * 60 * 60

async function disconnect(view: Submission): Promise<Answer> {
  const { api, words, params, form } = view
  const id = params.integrationAccountId ?? ''
  const path = `${PATH}/${id}`
  if (form.get('confirmation')?.trim().toLowerCase() !== DISCONNECT_WORD)
    return { location: path, notice: words.connection.notConfirmed, noticeTone: 'alert' }
  await api.accounts.delete(id)
  return { location: path, notice: words.connection.disconnected }
}
