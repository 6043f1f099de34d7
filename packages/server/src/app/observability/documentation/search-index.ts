import { listOperations, type OpenApiDocument } from '../api-reference/openapi-document.ts'
import { SDK_METHODS } from '../api-reference/sdk-methods.ts'
import type { SearchEntry } from './search-entry.ts'
import { toAnchor, toPlainText } from './to-page.ts'

/** The operations and schemas of the API. */
export function listApiEntries(document: OpenApiDocument): SearchEntry[] {
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
export function listDocumentEntries(path: string, title: string, markdown: string): SearchEntry[] {
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
