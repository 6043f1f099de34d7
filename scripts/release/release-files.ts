import { globSync } from 'node:fs'

/** What the programs read while they run; the paths stay the same, because the bundles find their files by them. */
const PATTERNS = [
  ...['LICENSE', 'package.json'],
  // The documents, which `/docs` shows.
  ...['README.md', 'CONTRIBUTING.md', 'packages/*/README.md'],
  ...['docs/*.md', 'docs/decisions/*.md', 'docs/images/*'],
  // Not its tests: `*.test.yaml`.
  ...[
    'deploy/*.{service,yaml,json}',
    'deploy/{kubernetes,grafana,proxy}/*',
    'deploy/prometheus/alerts.yaml',
  ],
  'packages/server/generated/*.{js,mjs}',
  'packages/server/generated/packages/*.tgz',
  'packages/server/src/platform/ui/*.svg',
  'packages/server/src/platform/ui/styles/*.css',
  'packages/server/src/platform/ui/fonts/*',
  // Programs of threads and child processes: Node runs them from their sources.
  'packages/server/src/platform/storage/**/*.ts',
  ...['packages/catalogue/generated/**/*.{js,json}', 'packages/catalogue/icons/*.svg'],
  'packages/runner/generated/{sandbox.mjs,guest.js,quickjs.wasm,base-image.bin}',
  'packages/cli/package.json',
]

/** The files of the prepared repository that a release contains, sorted. @throws Error if a pattern matches none */
export function listReleaseFiles(root: string): readonly string[] {
  return PATTERNS.flatMap((pattern) => {
    const files = globSync(pattern, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    if (files.length === 0) throw new Error(`No file matches ${pattern}: is the clone prepared?`)
    return files
  }).sort()
}
