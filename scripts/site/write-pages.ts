import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { OpenApiDocument } from '../../packages/server/src/app/observability/api-reference/openapi-document.ts'
import {
  DOCUMENT_GROUPS,
  findPagePath,
  toPage,
} from '../../packages/server/src/app/observability/documentation/documents.ts'
import { type ApiPage, createApiPages } from './create-api-pages.ts'
import { linkIntegrationPages } from './create-integration-pages.ts'

/**
 * Writes all pages of the site as Markdown into `folder`, with their images, and the list of the API's pages. `integrations` are the
 * pages of the catalogue.
 */
export function writePages(
  root: string,
  folder: string,
  document: OpenApiDocument,
  integrations: readonly ApiPage[],
): void {
  rmSync(folder, { recursive: true, force: true })
  const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: root })
  for (const file of [
    ...DOCUMENT_GROUPS.flatMap(({ pages }) => pages.map((page) => page.file)),
    ...decisions,
  ])
    write(
      `${findPagePath(file)}.md`,
      createFrontmatter(file) +
        linkIntegrationPages(toPage(file, readFileSync(path.join(root, file), 'utf8'))),
    )
  const apiPages = createApiPages(document)
  for (const page of [...apiPages, ...integrations]) write(`${page.path}.md`, page.markdown)
  write('index.md', readFileSync(path.join(root, 'site/index.md'), 'utf8'))
  cpSync(path.join(root, 'docs/images'), path.join(folder, 'images'), { recursive: true })
  cpSync(path.join(root, 'site/public'), path.join(folder, 'public'), { recursive: true })
  write('public/openapi.json', JSON.stringify(document))
  const listed = apiPages.map(({ path: link, title }) => ({
    text: title,
    link: `/${link.replace(/index$/, '')}`,
  }))
  writeFileSync(path.join(folder, '..', 'api-pages.json'), JSON.stringify(listed))

  function write(file: string, text: string): void {
    const target = path.join(folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
}

/** The search finds the list of the decisions, which has their titles, so that they do not hide the guides. */
function createFrontmatter(file: string): string {
  if (/decisions\/\d/.test(file)) return '---\nsearch: false\n---\n'
  if (file === 'docs/comparison.md') return '---\naside: false\npageClass: wide\n---\n'
  return ''
}
