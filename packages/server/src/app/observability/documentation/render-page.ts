import { Marked, type Tokens } from 'marked'
import { getAssetUrl, logo } from '../../../platform/ui/assets.ts'
import { Html, html, renderCode } from '../../../platform/ui/html.ts'
import { toAnchor, toPage, toPlainText } from './documents.ts'

/** A page of the documentation below `/docs`. */
export interface DocumentationPage {
  /** Below `/docs/`, empty for the first page: `api/links`. */
  readonly path: string
  readonly title: string
  readonly kind: 'api' | 'guide'
  readonly main: Html
}

/** A group of the navigation. */
export interface NavigationGroup {
  readonly title: string
  readonly items: readonly NavigationItem[]
}

export interface NavigationItem {
  readonly path: string
  readonly title: string
  /** The operations of the page, which the navigation lists while the page is open. */
  readonly operations?: readonly {
    readonly id: string
    readonly method: string
    readonly title: string
  }[]
}

/**
 * Renders a page with the navigation of all pages. Without its script, everything but the search and the copy buttons works.
 * All links are relative to the page, so the documentation works behind a proxy that removes a prefix of the path.
 */
export function renderPage(page: DocumentationPage, groups: readonly NavigationGroup[]): string {
  const root = page.path === '' ? '.' : page.path.replaceAll(/[^/]+/g, '..')
  const asset = (name: string) => `${root}${getAssetUrl(name)}`
  return html`<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<title>${page.title} – Linchpin</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${asset('favicon.svg')}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${asset('fonts/inter.woff2')}">
<link rel="stylesheet" href="${asset('documentation.css')}">
<script type="module" src="${asset('documentation.js')}"></script>
</head>
<body data-kind="${page.kind}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${root}/">${logo()} Linchpin</a>
<button type="button" class="tool search" hidden>Search <kbd>/</kbd></button>
${page.kind === 'api' ? html`${LANGUAGE_CHOICE}<a class="openapi" href="${root}/api/openapi.json">OpenAPI document</a>` : ''}
<button type="button" class="tool menu" popovertarget="navigation">Menu</button>
</header>
<nav id="navigation" popover aria-label="Documentation">
${groups.map((group) => renderGroup(group, page, root))}</nav>
<main id="content">
${page.main}
</main>
</body>
</html>
`.text
}

const LANGUAGE_CHOICE = html`<fieldset class="languages"><legend class="unseen">Language of the samples</legend>
<label><input type="radio" name="language" id="show-curl" value="curl" checked><span>curl</span></label>
<label><input type="radio" name="language" id="show-ts" value="ts"><span>TypeScript</span></label>
</fieldset>
`

function renderGroup(
  { title, items }: NavigationGroup,
  page: DocumentationPage,
  root: string,
): Html {
  const isCurrent = items.some(({ path }) => path === page.path)
  return html`<details${isCurrent ? new Html(' open') : ''}><summary>${title}</summary><ul>
${items.map((item) => renderItem(item, page, root))}</ul></details>
`
}

function renderItem(item: NavigationItem, page: DocumentationPage, root: string): Html {
  const isCurrent = item.path === page.path
  const operations = isCurrent ? (item.operations ?? []) : []
  const list = html`<ul>${operations.map(
    ({
      id,
      method,
      title,
    }) => html`<li><a href="#${id}"><b class="${method.toLowerCase()}">${method}</b> ${title}</a></li>
`,
  )}</ul>`
  return html`<li><a href="${pageUrl(root, item.path)}"${isCurrent ? new Html(' aria-current="page"') : ''}>${item.title}</a>${operations.length === 0 ? '' : list}</li>
`
}

/** The URL of a page, relative to one whose service is at `root`. */
function pageUrl(root: string, path: string): string {
  return path === '' ? `${root}/docs` : `${root}/docs/${path}`
}

/** Renders a Markdown file of the repository. Links between documents lead to their pages, others are text. */
export function renderDocument(file: string, markdown: string): Html {
  const usedAnchors = new Map<string, number>()
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = createAnchor(text, usedAnchors)
        return html`<h${depth} id="${anchor}">${new Html(this.parser.parseInline(tokens))} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>
`.text
      },
      link({ href, tokens }) {
        return html`<a href="${href.replace(/\.md(?=#|$)/, '')}">${new Html(this.parser.parseInline(tokens))}</a>`
          .text
      },
      code({ text, lang }) {
        return renderCode(TITLES[lang ?? ''] ?? '', text, lang ?? '').text
      },
      table(token: Tokens.Table) {
        return html`<div class="table" tabindex="0"><table><thead><tr>${token.header.map((cell) => new Html(`<${cell.text === '' ? 'td' : 'th'}>${this.parser.parseInline(cell.tokens)}</${cell.text === '' ? 'td' : 'th'}>`))}</tr></thead>
<tbody>${token.rows.map((row) => html`<tr>${row.map(({ tokens }) => html`<td>${new Html(this.parser.parseInline(tokens))}</td>`)}</tr>\n`)}</tbody></table></div>
`.text
      },
    },
  })
  return new Html(marked.parse(toPage(file, markdown), { async: false }))
}

/** The second heading of the same text gets the suffix `-1`, as at GitHub. */
function createAnchor(heading: string, used: Map<string, number>): string {
  const anchor = toAnchor(toPlainText(heading))
  const count = used.get(anchor) ?? 0
  used.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

const TITLES: Readonly<Record<string, string>> = {
  sh: 'Terminal',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  js: 'JavaScript',
  json: 'JSON',
  html: 'HTML',
  http: 'HTTP',
  text: 'Output',
  yaml: 'YAML',
  ini: 'systemd',
  python: 'Python',
  promql: 'PromQL',
}
