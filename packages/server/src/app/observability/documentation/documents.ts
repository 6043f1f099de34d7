import path from 'node:path'

/** A page of the documentation site: its file in the repository, its path on the site, its name in the sidebar. */
export interface DocumentPage {
  readonly file: string
  /** Without an extension. */
  readonly path: string
  readonly title: string
}

export interface DocumentGroup {
  readonly title: string
  readonly pages: readonly DocumentPage[]
}

/** The group whose pages come from the OpenAPI document. */
export const API_REFERENCE = 'API reference'

/** The sidebar: every document, once. The decisions are listed by their own page, the API by the OpenAPI document. */
export const DOCUMENT_GROUPS: readonly DocumentGroup[] = [
  {
    title: 'Start here',
    pages: [
      document('quickstart', 'Quickstart'),
      document('concepts', 'Concepts'),
      document('tour', 'The tour'),
      document('comparison', 'Comparison'),
      document('migrating', 'Migrating from other systems'),
      document('changelog', 'Changelog'),
    ],
  },
  {
    title: 'Connect customers',
    pages: [
      document('connect-page', 'Connect page'),
      document('oauth', 'Sign-in with OAuth'),
      document('catalogue', 'Catalogue of integrations'),
      document('own-api', 'An API of your own'),
      document('catalogue-versions', 'Versions and registries'),
    ],
  },
  {
    title: 'Build',
    pages: [
      document('interface', 'Resources and operations'),
      document('errors', 'Errors'),
      document('events', 'Events'),
      document('webhooks', 'Webhooks'),
      document('agents', 'Agents'),
      document('emulator', 'Tests without a network'),
      readme('sdk', 'SDK for TypeScript'),
      readme('client', 'Client for web pages'),
      readme('cli', 'Command line'),
    ],
  },
  { title: API_REFERENCE, pages: [] },
  {
    title: 'Write integrations',
    pages: [readme('kit', 'Integration kit'), document('bundles', 'Format of bundles')],
  },
  {
    title: 'Operate',
    pages: [
      document('self-hosting', 'Self-hosting'),
      document('console', 'Console'),
      document('operating', 'Settings and operation'),
      document('maintenance', 'Backups, upgrades, moves and keys'),
      document('metrics', 'Metrics and alerts'),
      document('runbooks', 'Runbooks'),
      document('audit', 'Audit trail'),
      document('erasure', 'Erasure and retention'),
    ],
  },
  {
    title: 'Background',
    pages: [
      document('architecture', 'Architecture'),
      document('security', 'Security'),
      document('asvs', 'OWASP ASVS table'),
      document('benchmarks', 'Benchmarks'),
      document('testing', 'How it is tested'),
      document('proof', 'Proofs of promises'),
      { file: 'docs/decisions/README.md', path: 'decisions/index', title: 'Decisions' },
      { file: 'CONTRIBUTING.md', path: 'contributing', title: 'Contributing' },
    ],
  },
]

/** Where a file of the repository is on the site, without an extension, or undefined if it is no page. */
export function findPagePath(file: string): string | undefined {
  const decision = /^docs\/(decisions\/\d.*)\.md$/.exec(file)?.[1]
  return findPage(file)?.path ?? decision
}

/** The page of the sidebar that is made from a file of the repository. */
export function findPage(file: string): DocumentPage | undefined {
  return DOCUMENT_GROUPS.flatMap(({ pages }) => pages).find((page) => page.file === file)
}

function document(name: string, title: string): DocumentPage {
  return { file: `docs/${name}.md`, path: name, title }
}

function readme(name: string, title: string): DocumentPage {
  return { file: `packages/${name}/README.md`, path: name, title }
}

/**
 * A Markdown file of the repository as a page of the site. Its links to other pages lead there, and have their titles where
 * the file has their file names; links to files that are no pages, such as source files, become text. Code is unchanged.
 */
export function toPage(file: string, markdown: string): string {
  const sitePath = findPagePath(file) ?? ''
  return splitFences(markdown)
    .map((part) => (part.startsWith('```') ? part : rewriteLinks(part, file, sitePath)))
    .join('')
}

/** Fenced blocks of code, and the text between them. */
function splitFences(markdown: string): string[] {
  return markdown.split(/^(```[^\n]*\n[\s\S]*?^```$)/m)
}

function rewriteLinks(text: string, file: string, sitePath: string): string {
  return text.replaceAll(
    /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
    (link: string, image: string, label: string, target: string) => {
      if (/^([a-z]+:|#)/.test(target)) return link
      const [relative = '', anchor] = target.split('#')
      const linked = path.posix.join(path.posix.dirname(file), relative)
      if (image !== '') return `![${label}](${relativeTo(sitePath, linked.replace('docs/', ''))})`
      const page = findPagePath(linked)
      if (page === undefined) return isFileName(label, linked) ? `\`${label}\`` : label
      const title = isFileName(label, linked) ? (findPage(linked)?.title ?? label) : label
      return `[${title}](${relativeTo(sitePath, `${page}.md`)}${anchor === undefined ? '' : `#${anchor}`})`
    },
  )
}

/** Whether the text of a link is the name of its file, with or without folders. */
function isFileName(label: string, linked: string): boolean {
  return linked === label || linked.endsWith(`/${label}`)
}

function relativeTo(sitePath: string, target: string): string {
  const relative = path.posix.relative(path.posix.dirname(sitePath), target)
  return relative.startsWith('.') ? relative : `./${relative}`
}

/** The anchor of a heading, as GitHub generates it. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** The text of a heading without its markup. */
export function toPlainText(heading: string): string {
  return heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
}
