import { type ExtendedLink, isLinchpinError } from '@linchpin/sdk'
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
} from '../parts/content.ts'
import { dialog } from '../parts/dialog.ts'
import { share } from '../parts/share.ts'
import { formatNumber } from '../parts/table.ts'
import { exactTime } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'
import type { Words } from '../words/en.ts'
import {
  type FormErrors,
  findLinkErrors,
  type LinkValues,
  readLinkValues,
  renderLimits,
  renderName,
  toFormErrors,
  toLinkChange,
  toLinkValues,
} from './link-form.ts'
import { describeExpiry, describeOffer } from './links.ts'

const PATH = '/console/links'

/** What does this link allow, and how do customers get to it? */
export const linkScreen: Screen = {
  path: '/links/:linkId',
  show: (view) => show(view),
  actions: {
    '': save,
    '/revoke': revoke,
  },
}

async function show(
  view: View,
  typed?: { readonly values: LinkValues; readonly errors: FormErrors },
): Promise<Answer> {
  const { api, params, words } = view
  const link = await api.links.get(params.linkId ?? '', { accounts: false })
  const { links } = words
  return {
    title: link.linkName,
    section: 'links',
    parent: { href: PATH, label: words.sections.links },
    note: html`${describeOffer(link, words)}`,
    ...(typed !== undefined && { status: 422 }),
    actions: link.expired ? [] : [renderRevoke(view, link)],
    banner: renderBanner(view, link),
    main: html`<div class="columns"><div>${link.expired ? '' : panel(links.share, renderShare(view, link))}${panel(links.settings, renderSettings(view, link, typed))}</div>
<aside>${panel(links.usage, renderUsage(view, link))}${panel(words.connection.facts, renderFacts(view, link))}</aside></div>`,
  }
}

function renderBanner({ words, now }: View, link: ExtendedLink): Html | undefined {
  const { links } = words
  const missing = new Set(link.missingOAuthApps)
  if (link.expired) {
    const expiresAt = Date.parse(link.createdAt) + link.expiresIn * 1_000
    const hasExpired = link.expiresIn > 0 && expiresAt <= now
    return banner('info', {
      title: hasExpired ? links.closedBanner.expired : links.closedBanner.revoked,
      text: links.closedText,
    })
  }
  if (link.integrationDefinitionIds.length === 0 || missing.size === 0) return undefined
  const names = link.integrationDefinitions
    .filter(({ integrationDefinitionId }) => missing.has(integrationDefinitionId))
    .map(({ name }) => name)
  return banner('warn', { title: links.missingApps(names.join(', ')) })
}

function renderShare(
  { words, publicUrl }: View,
  { url, linkId, sessionsOnly }: ExtendedLink,
): Html {
  const { links } = words
  const script = `<script src="${publicUrl}/link.js"></script>\n<script>\n  LinchpinLink.open({ linkId: '${linkId}' })\n</script>`
  const react = `import { useLink } from '@linchpin/client/react'\n\nconst { open, ready } = useLink({ baseURL: '${publicUrl}', linkId: '${linkId}' })`
  const curl = `curl -X POST '${publicUrl}/api/v1/connect_session' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '{ "linkId": "${linkId}", "accountIdentifier": "customer-17" }'`
  const typescript = `const { url } = await linchpin.connectSessions.create({\n  linkId: '${linkId}',\n  accountIdentifier: 'customer-17',\n})`
  return html`${sessionsOnly ? html`<p>${links.sessionsOnlyText}</p>` : share(url, words)}
<div class="snippets">${sessionsOnly ? '' : html`${snippet(script, words, links.script)}${snippet(react, words, links.react)}`}${snippet(curl, words, 'cURL')}${snippet(typescript, words, 'TypeScript')}</div>`
}

function renderSettings(
  view: View,
  link: ExtendedLink,
  typed: { readonly values: LinkValues; readonly errors: FormErrors } | undefined,
): Html {
  const { words } = view
  const path = `${PATH}/${link.linkId}`
  const { values, errors } = typed ?? { values: toLinkValues(link), errors: {} }
  const button = submitButton({
    text: words.links.save,
    disabledBecause: whyNot(view, 'links:write'),
  })
  return html`<form method="post" action="${path}" class="stack" novalidate>${view.formFields(path)}
${renderName(values, words, errors)}${renderLimits(values, words, errors)}<p class="quiet">${words.links.fixed}</p>
<div class="buttons">${button}</div></form>`
}

function renderUsage({ words }: View, { linkId, counters, refusals }: ExtendedLink): Html {
  const { links } = words
  return html`${facts([
    [links.opens, formatNumber(counters.opens)],
    [links.attempts, formatNumber(counters.attempts)],
    [links.connected, formatNumber(counters.successes)],
  ])}
${refusals.length === 0 ? '' : html`<h3>${links.refusals}</h3><ul class="codes">${refusals.map(({ code, count }) => html`<li><a href="/console/attempts?link=${linkId}&amp;code=${code}">${code}</a><span>${formatNumber(count)}</span></li>`)}</ul>`}
<div class="buttons">${linkButton({ text: links.seeConnections }, `/console/connections?link=${linkId}`)}${linkButton({ text: links.seeAttempts }, `/console/attempts?link=${linkId}`)}</div>`
}

function renderFacts({ words }: View, link: ExtendedLink): Html {
  const { links } = words
  const chosen = new Set(link.integrationDefinitionIds)
  const names = link.integrationDefinitions
    .filter(({ integrationDefinitionId }) => chosen.has(integrationDefinitionId))
    .map(({ name }) => name)
  return facts([
    [links.offers, names.length === 0 ? describeOffer(link, words) : names.join(', ')],
    ...Object.entries(link.scopes).map(([id, scopes]): [string, Html] => [
      links.scopes,
      renderScopes(link, id, scopes, words),
    ]),
    [links.expires, describeExpiry(link) ?? links.never],
    [links.created, exactTime(link.createdAt)],
    ['ID', copyable(link.linkId, words)],
  ])
}

/** What sign-ins of an integration ask for through the link. */
function renderScopes(
  { integrationDefinitions }: ExtendedLink,
  id: string,
  scopes: readonly string[],
  words: Words,
): Html {
  const tool = integrationDefinitions.find((each) => each.integrationDefinitionId === id)
  return html`${tool?.name ?? id}${longList(scopes.map(codeTag), 'tags', words)}`
}

function renderRevoke(view: View, { linkId, linkName }: ExtendedLink): Html {
  const { words } = view
  const path = `${PATH}/${linkId}/revoke`
  return dialog({
    id: 'revoke',
    trigger: {
      text: words.links.revoke,
      icon: 'disconnect',
      disabledBecause: whyNot(view, 'links:write'),
    },
    title: words.links.revokeTitle(linkName),
    content: html`<p>${words.links.revokeText}</p>
<form method="post" action="${path}">${view.formFields(path)}<div class="buttons">${submitButton({ text: words.links.revoke, icon: 'disconnect', kind: 'danger' })}</div></form>`,
    words,
  })
}

async function save(view: Submission): Promise<Answer> {
  const { api, words, form, params } = view
  const linkId = params.linkId ?? ''
  const values = readLinkValues(form)
  const errors = findLinkErrors(values, words)
  if (Object.keys(errors).length > 0) return show(view, { values, errors })
  try {
    await api.links.update(linkId, toLinkChange(values))
    return { location: `${PATH}/${linkId}`, notice: words.links.saved }
  } catch (error) {
    if (!isLinchpinError(error) || error.status !== 400) throw error
    return show(view, { values, errors: toFormErrors(error) })
  }
}

async function revoke({ api, words, params }: Submission): Promise<Answer> {
  const linkId = params.linkId ?? ''
  await api.links.delete(linkId)
  return { location: `${PATH}/${linkId}`, notice: words.links.wasRevoked }
}
