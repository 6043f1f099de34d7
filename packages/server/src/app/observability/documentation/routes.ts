import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../../platform/errors.ts'
import {
  createStaticBody,
  type StaticBody,
  sendStaticBody,
  sendStaticPage,
} from '../../../platform/http/send-page.ts'
import { SDK_METHODS } from '../../operations.ts'
import { listOperations, type OpenApiDocument } from '../api-reference/openapi-document.ts'
import { listApiItems, renderApiPage } from './api-pages.ts'
import {
  API_REFERENCE,
  DOCUMENT_GROUPS,
  type DocumentPage,
  findPage,
  findPagePath,
  toAnchor,
  toPlainText,
} from './documents.ts'
import {
  type DocumentationPage,
  type NavigationGroup,
  renderDocument,
  renderPage,
} from './render-page.ts'
import type { SearchEntry } from './search-entry.ts'

/**
 * `/docs`: the reference of the API and the documents that this installation has, one page each; `/docs/search.json`, in which
 * the script of the pages searches; and `/api/openapi.json`. All of it is public, and created once, at the first request.
 */
export async function documentationRoutes(app: FastifyInstance): Promise<void> {
  const getBody = createBodies(() => app.swagger() as unknown as OpenApiDocument)
  app.get('/api/openapi.json', { schema: { hide: true } }, (request, reply) => {
    reply.header('cache-control', 'no-store').type(JSON_TYPE)
    return sendStaticBody(request, reply, getBody('/api/openapi.json') as StaticBody)
  })
  app.get('/docs/search.json', { schema: { hide: true } }, (request, reply) => {
    reply.header('cache-control', 'public, no-cache').type(JSON_TYPE)
    return sendStaticBody(request, reply, getBody('/docs/search.json') as StaticBody)
  })
  app.get('/docs/images/:file', { schema: { hide: true } }, async (request, reply) => {
    const { file } = request.params as { file: string }
    const body = getBody(`/docs/images/${file}`)
    if (body === undefined) throw notFound()
    reply
      .header('cache-control', 'public, no-cache')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .type(file.endsWith('.svg') ? 'image/svg+xml' : 'image/png')
    return sendStaticBody(request, reply, body)
  })
  // The links of a page are relative to its path without a slash.
  app.get('/docs/', { schema: { hide: true } }, (_request, reply) => reply.redirect('../docs', 308))
  for (const url of ['/docs', '/docs/*'])
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      const { '*': name = '' } = request.params as { '*'?: string }
      const body = getBody(`/docs/${name}`)
      if (body === undefined) throw notFound()
      return sendStaticPage(request, reply, body)
    })
}

const notFound = () => new ApiError('route_not_found', 'This URL does not exist.')

const JSON_TYPE = 'application/json; charset=utf-8'

/** The bodies by path, each created at its first use; undefined for a path that does not exist. */
function createBodies(
  getDocument: () => OpenApiDocument,
): (path: string) => StaticBody | undefined {
  const bodies = new Map<string, StaticBody>()
  let creators: ReadonlyMap<string, () => string | Buffer> | undefined
  return (path) => {
    creators ??= listCreators(getDocument())
    const create = creators.get(path)
    if (create === undefined) return undefined
    const body = bodies.get(path) ?? createStaticBody(Buffer.from(create()))
    bodies.set(path, body)
    return body
  }
}

function listCreators(document: OpenApiDocument): Map<string, () => string | Buffer> {
  const documents = listDocuments()
  const navigation = listNavigation(document)
  const render = (page: DocumentationPage) => renderPage(page, navigation)
  return new Map<string, () => string | Buffer>([
    ['/api/openapi.json', () => JSON.stringify(document)],
    ['/docs/search.json', () => createSearchIndex(document, documents)],
    ...listApiItems(document).map(({ path }): [string, () => string] => [
      `/docs/${path}`,
      () => render(renderApiPage(document, path)),
    ]),
    ...documents.map((page): [string, () => string] => [
      `/docs/${page.path}`,
      () => render({ ...page, kind: 'guide', main: renderDocument(page.file, read(page.file)) }),
    ]),
    ...listFiles('docs/images/*.{png,svg}').map((file): [string, () => Buffer] => [
      `/${file}`,
      () => readFileSync(new URL(file, ROOT)),
    ]),
  ])
}

/** The documents that this installation has: those of the navigation, and the decisions, which a page of it lists. */
function listDocuments(): DocumentPage[] {
  const decisions = listFiles('docs/decisions/[0-9]*.md').map((file) => ({
    file,
    path: findPagePath(file) ?? '',
    title: /^# (.+)$/m.exec(read(file))?.[1] ?? file,
  }))
  return [...DOCUMENT_GROUPS.flatMap(({ pages }) => pages).filter(isInstalled), ...decisions]
}

function listNavigation(document: OpenApiDocument): NavigationGroup[] {
  return DOCUMENT_GROUPS.map(({ title, pages }) => ({
    title,
    items: title === API_REFERENCE ? listApiItems(document) : pages.filter(isInstalled),
  })).filter(({ items }) => items.length > 0)
}

function createSearchIndex(document: OpenApiDocument, documents: readonly DocumentPage[]): string {
  const listed = documents.filter(({ file }) => findPage(file) !== undefined)
  return JSON.stringify([
    ...listApiEntries(document),
    ...listed.flatMap(({ file, path, title }) => listDocumentEntries(path, title, read(file))),
  ])
}

/** The folder of the repository or of the release. */
const ROOT = new URL('../../../../../../', import.meta.url)

const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

const isInstalled = ({ file }: DocumentPage): boolean => existsSync(new URL(file, ROOT))

const listFiles = (pattern: string): string[] =>
  globSync(pattern, { cwd: fileURLToPath(ROOT) }).toSorted()

/** The operations and schemas of the API. */
function listApiEntries(document: OpenApiDocument): SearchEntry[] {
  const operations = document.tags.flatMap(({ name }) =>
    listOperations(document, name).map(({ method, path, operation }) => ({
      title: operation.summary,
      detail: `${method} /api${path}`,
      url: `api/${toAnchor(name)}#${operation.operationId}`,
      words: `${operation.operationId} ${SDK_METHODS[operation.operationId] ?? ''}`,
    })),
  )
  const schemas = Object.keys(document.components.schemas).map((name) => ({
    title: name,
    detail: 'Schema',
    url: `api/schemas#schema-${name}`,
  }))
  return [...operations, ...schemas]
}

/** A document and its sections of the second and third level. */
function listDocumentEntries(path: string, title: string, markdown: string): SearchEntry[] {
  const headings = markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#{2,3} (?<heading>.+)$/gm)
    .map(({ groups }) => toPlainText(groups?.heading ?? ''))
  const sections = [...headings].map((heading) => ({
    title: heading,
    detail: title,
    url: `${path}#${toAnchor(heading)}`,
  }))
  return [{ title, detail: 'Guide', url: path }, ...sections]
}
