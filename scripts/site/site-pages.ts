/** A page of the documentation site: its file in the repository, its path on the site, its name in the sidebar. */
export interface SitePage {
  readonly file: string
  /** Without an extension. */
  readonly path: string
  readonly title: string
}

export interface SiteGroup {
  readonly title: string
  readonly pages: readonly SitePage[]
}

/** The sidebar: every document, once. The decisions are listed by their own page, the API by the OpenAPI document. */
export const SITE_GROUPS: readonly SiteGroup[] = [
  {
    title: 'Start here',
    pages: [
      document('quickstart', 'Quickstart'),
      document('concepts', 'Concepts'),
      { file: 'README.md', path: 'tour', title: 'The tour' },
      document('faq', 'Questions'),
      document('comparison', 'Comparison'),
      document('changelog', 'Changelog'),
    ],
  },
  {
    title: 'Connect customers',
    pages: [
      document('connect-page', 'Connect page'),
      document('oauth', 'OAuth'),
      document('catalogue', 'Catalogue'),
      document('migrating', 'Migrating'),
    ],
  },
  {
    title: 'Build',
    pages: [
      document('interface', 'Interface'),
      document('errors', 'Errors'),
      document('retries', 'Retries'),
      document('events', 'Events'),
      document('webhooks', 'Webhooks'),
      readme('sdk', 'SDK for TypeScript'),
      readme('client', 'Client'),
      readme('cli', 'Command line'),
    ],
  },
  {
    title: 'Write integrations',
    pages: [readme('kit', 'Kit'), document('bundles', 'Bundles')],
  },
  {
    title: 'Operate',
    pages: [
      document('production', 'Going to production'),
      document('operator-tasks', 'Tasks, as last performed'),
      document('self-hosting', 'Self-hosting'),
      document('operating', 'Operating'),
      document('upgrading', 'Upgrading'),
      document('backup', 'Backup and restore'),
      document('moving', 'Moving the database'),
      document('keys', 'Keys'),
      document('metrics', 'Metrics'),
      document('runbooks', 'Runbooks'),
      document('audit', 'Audit trail'),
      document('erasure', 'Erasure'),
    ],
  },
  {
    title: 'Background',
    pages: [
      document('architecture', 'Architecture'),
      document('security', 'Security'),
      document('asvs', 'OWASP ASVS'),
      document('benchmarks', 'Benchmarks'),
      document('testing', 'Testing'),
      document('proof', 'Proof'),
      { file: 'docs/decisions/README.md', path: 'decisions/index', title: 'Decisions' },
      { file: 'CONTRIBUTING.md', path: 'contributing', title: 'Contributing' },
    ],
  },
]

/** Where a file of the repository is on the site, without an extension, or undefined if it is no page. */
export function findSitePath(file: string): string | undefined {
  const listed = SITE_GROUPS.flatMap(({ pages }) => pages).find((page) => page.file === file)
  const decision = /^docs\/(decisions\/\d.*)\.md$/.exec(file)?.[1]
  return listed?.path ?? decision
}

function document(name: string, title: string): SitePage {
  return { file: `docs/${name}.md`, path: name, title }
}

function readme(name: string, title: string): SitePage {
  return { file: `packages/${name}/README.md`, path: name, title }
}
