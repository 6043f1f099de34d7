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
    ],
  },
  {
    title: 'Build',
    pages: [
      document('interface', 'Resources and operations'),
      document('errors', 'Errors'),
      document('events', 'Events'),
      document('webhooks', 'Webhooks'),
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
