import { getAssetUrl, logo } from '../platform/ui/assets.ts'
import { type Html, html } from '../platform/ui/html.ts'
import { type IconName, icon } from './parts/icons.ts'
import type { Notice, Page, Section, View } from './screen.ts'

/** The navigation, in its order. */
const SECTIONS: readonly SectionLink[] = [
  { section: 'overview', path: '/console', key: 'o' },
  { section: 'connections', path: '/console/connections', key: 'c' },
  { section: 'customers', path: '/console/customers', key: 'u' },
  { section: 'links', path: '/console/links', key: 'l' },
  { section: 'integrations', path: '/console/integrations', key: 'i' },
  { section: 'attempts', path: '/console/attempts', key: 'a' },
  { section: 'agents', path: '/console/agents' },
  { section: 'webhooks', path: '/console/webhooks', key: 'w' },
  { section: 'logs', path: '/console/logs', key: 'e' },
  { section: 'audit', path: '/console/audit' },
  { section: 'settings', path: '/console/settings', key: 's' },
]

export type Theme = 'system' | 'light' | 'dark'

export interface DocumentOptions {
  readonly title: string
  readonly nonce: string
  readonly theme: Theme
  readonly body: Html
  /** The path of the server-sent events that refresh it. */
  readonly live?: string | undefined
  /** Whether each beat of the stream refreshes it, too. */
  readonly isProgress?: boolean | undefined
  /** Default: true. */
  readonly hasLetterKeys?: boolean | undefined
}

/** A whole HTML document of the console. */
export function renderDocument(options: DocumentOptions): string {
  const { title, nonce, theme, body, live, isProgress, hasLetterKeys = true } = options
  return html`<!doctype html>
<html lang="en"${theme === 'system' ? '' : html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}">
<meta name="turbo-cache-control" content="no-cache">
<meta name="turbo-refresh-method" content="morph">
<meta name="turbo-refresh-scroll" content="preserve">
${
  live === undefined
    ? ''
    : html`<meta name="linchpin-live" data-path="${live}"${isProgress ? html` data-progress` : ''}>
`
}${
  hasLetterKeys
    ? ''
    : html`<meta name="linchpin-keys" content="off">
`
}<link rel="icon" type="image/svg+xml" href="${getAssetUrl('favicon.svg')}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${getAssetUrl('fonts/inter.woff2')}">
<link rel="stylesheet" href="${getAssetUrl('console.css')}" data-turbo-track="reload">
<script type="module" src="${getAssetUrl('console.js')}" nonce="${nonce}" data-turbo-track="reload"></script>
</head>
${body}
</html>
`.text
}

/** The body of a screen: navigation, title, banner, tabs and content. */
export function renderPage(page: Page, view: View, notice: Notice | undefined): Html {
  const { words } = view
  return html`<body class="console">
<a class="skip" href="#main">${words.app.skip}</a>
${renderNavigation(page.section, view)}
<main id="main">
${page.parent === undefined ? '' : html`<a class="parent" href="${page.parent.href}">${icon('back', 16)}${page.parent.label}</a>`}
<header class="title">
<div class="names">${page.mark}<div><h1 tabindex="-1">${page.title}</h1>${page.note === undefined ? '' : html`<p class="note">${page.note}</p>`}</div></div>
${page.actions === undefined || page.actions.length === 0 ? '' : html`<div class="buttons">${page.actions}</div>`}
</header>
${page.banner}
${page.tabs}
${page.main}
</main>
${renderPalette(view)}
${page.isLive ? renderPaused(view) : ''}<div class="toast" role="status" aria-live="polite"${notice?.tone === 'alert' ? html` data-stays` : ''}>${notice === undefined ? '' : html`${icon(notice.tone, 16)}${notice.text}`}</div>
</body>`
}

/** The dialog of the search, which the script opens and fills. It stays the same element from page to page. */
function renderPalette({ words }: View): Html {
  const { search } = words
  return html`<dialog class="palette" id="palette" data-turbo-permanent aria-label="${search.title}">
<div class="ask">${icon('search')}<input role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" aria-label="${search.label}" placeholder="${search.label}" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<div role="listbox" id="palette-list" aria-label="${search.results}"></div><p role="status" class="quiet" data-failed="${search.failed}"></p></dialog>`
}

/** Shown while no events arrive, by the script. */
function renderPaused({ words }: View): Html {
  return html`<div class="paused" role="status" data-paused="${words.app.pausedFor('{seconds}')}" hidden><span class="unseen">${words.app.paused}</span><p aria-hidden="true">${icon('pause', 16)}<span></span></p></div>
`
}

function renderNavigation(current: Section, view: View): Html {
  const { words, session } = view
  return html`<nav class="side" aria-label="${words.app.mainNavigation}">
<a class="brand" href="/console">${logo(24)}<span>${words.app.name}</span></a>
${renderWorkspaces(view)}
<a class="find" href="/console/search" data-palette>${icon('search')}<span>${words.app.search}</span><kbd aria-hidden="true">${words.search.key}</kbd></a>
<ul class="sections">${SECTIONS.map(
    (each) =>
      html`<li${isOnPhones(each) ? '' : html` class="minor"`}>${renderSection(each, current, view)}</li>`,
  )}<li class="more"><details><summary>${icon('more')}<span>${words.app.more}</span></summary><ul class="menu"><li><a href="/console/search" data-palette>${icon('search')}<span>${words.app.search}</span></a></li>${SECTIONS.filter(
    (each) => !isOnPhones(each),
  ).map((each) => html`<li>${renderSection(each, current, view)}</li>`)}</ul></details></li></ul>
<details class="person"><summary>${icon('user')}<span><b>${session.name}</b><small>${words.roles[session.membership.role]}</small></span>${icon('switch', 16)}</summary>
<div class="menu">${renderThemes(view)}
<a class="item" href="/console/keys">${words.keys.title}</a>
<form method="post" action="/console/sign-out" data-turbo="false">${view.formFields('/console/sign-out')}<button class="item">${icon('signOut', 16)}${words.app.signOut}</button></form></div></details>
</nav>`
}

interface SectionLink {
  readonly section: Section
  readonly path: string
  /** The letter that leads to it after `g`. */
  readonly key?: string
}

/** A phone has room for four, and one that opens the others. */
function isOnPhones({ section }: SectionLink): boolean {
  return ['overview', 'connections', 'links', 'attempts'].includes(section)
}

function renderSection(
  { section, path, key }: SectionLink,
  current: Section,
  { words }: View,
): Html {
  return html`<a href="${path}"${current === section ? html` aria-current="page"` : ''}${key === undefined ? '' : html` data-key="${key}"`}>${icon(section satisfies IconName)}<span>${words.sections[section]}</span></a>`
}

function renderWorkspaces({ session, words, formFields }: View): Html {
  const { membership, memberships } = session
  const name = (each: typeof membership) => each.workspaceName || each.workspaceSlug
  if (memberships.length === 1)
    return html`<p class="workspace"><span>${name(membership)}</span></p>`
  return html`<details class="workspace"><summary><span>${name(membership)}</span>${icon('switch', 16)}</summary>
<form class="menu" method="post" action="/console/workspace" aria-label="${words.app.switchWorkspace}">${formFields('/console/workspace')}${memberships.map(
    (each) =>
      html`<button class="item" name="workspace" value="${each.workspaceId}"${each.workspaceId === membership.workspaceId ? html` aria-current="true"` : ''}>${name(each)}${each.workspaceId === membership.workspaceId ? icon('check', 16) : ''}</button>`,
  )}</form></details>`
}

function renderThemes({ words, formFields }: View): Html {
  return html`<form class="themes" method="post" action="/console/theme" data-turbo="false" aria-label="${words.app.theme}">${formFields('/console/theme')}${(
    ['system', 'light', 'dark'] as const
  ).map(
    (theme) =>
      html`<button class="item" name="theme" value="${theme}">${words.app.themes[theme]}</button>`,
  )}</form>`
}
