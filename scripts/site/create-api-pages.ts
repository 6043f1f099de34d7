import {
  getExample,
  listOperations,
  type OpenApiDocument,
  type OperationEntry,
  type Parameter,
  resolveRef,
} from '../../packages/server/src/app/observability/api-reference/openapi-document.ts'
import {
  createSamples,
  listFields,
  renderCodes,
  renderFields,
  renderType,
} from '../../packages/server/src/app/observability/api-reference/render-operation.ts'
import { OPERATION_CODES } from '../../packages/server/src/app/observability/operation-codes.ts'
import type { Html } from '../../packages/server/src/platform/ui/html.ts'

export interface ApiPage {
  /** On the site, without an extension. */
  readonly path: string
  readonly title: string
  readonly markdown: string
}

/** The reference of the API as Markdown: an overview, a page for each tag of the OpenAPI document, and one with its schemas. */
export function createApiPages(document: OpenApiDocument): ApiPage[] {
  const tags = document.tags.map(({ name, description }) => ({
    path: `api/${toName(name)}`,
    title: name,
    markdown: `# ${name}\n\n${toProse(description)}\n\n${listOperations(document, name)
      .map((entry) => createOperation(document, entry))
      .join('\n')}`,
  }))
  return [createOverview(document), ...tags, createSchemas(document)]
}

/** What holds for all operations, and where each is. */
function createOverview(document: OpenApiDocument): ApiPage {
  const sections = document.tags.map(({ name }) => {
    const rows = listOperations(document, name).map(
      ({ method, path, operation: { operationId, summary } }) =>
        `| [${summary}](./${toName(name)}.md#${operationId}) | \`${method} /api${path}\` |`,
    )
    return `## ${name}\n\n| operation | request |\n|---|---|\n${rows.join('\n')}`
  })
  return {
    path: 'api/index',
    title: 'Overview',
    markdown: `${OVERVIEW}\n\n${sections.join('\n\n')}`,
  }
}

const OVERVIEW = `# API reference

Bodies are JSON over HTTPS, at the address of your Linchpin. Each request needs a token:
\`Authorization: Bearer $LINCHPIN_TOKEN\` ([authentication](../interface.md#authentication)). Failed requests have a code
([errors](../errors.md)), and a POST can be sent again with its \`Idempotency-Key\` ([safe retries](../interface.md#safe-retries)). For TypeScript,
use the [SDK](../sdk.md); for other languages, generate a client from the OpenAPI document, which is at \`/api/openapi.json\` of your
Linchpin.`

function createSchemas(document: OpenApiDocument): ApiPage {
  const sections = Object.entries(document.components.schemas).map(([name, schema]) => {
    const example = schema.examples?.[0]
    return [
      `## ${name} {#schema-${name}}`,
      toProse(schema.description ?? ''),
      toBlock(renderFields(listFields(schema))),
      example === undefined ? '' : toFence('json', JSON.stringify(example, undefined, 2)),
    ].join('\n\n')
  })
  return {
    path: 'api/schemas',
    title: 'Schemas',
    markdown: `---\nsearch: false\n---\n# Schemas\n\nThe objects of the API.\n\n${sections.join('\n\n')}`,
  }
}

function createOperation(document: OpenApiDocument, entry: OperationEntry): string {
  const { method, path, operation } = entry
  const samples = createSamples(document, entry)
  const body = operation.requestBody?.content['application/json']?.schema
  return [
    `## ${operation.summary} {#${operation.operationId}}`,
    `\`${method} /api${path}\``,
    toProse(operation.description),
    createParameters('Path', operation.parameters, 'path'),
    createParameters('Query', operation.parameters, 'query'),
    body === undefined
      ? ''
      : `### Body {#${operation.operationId}-body}\n\n${toBlock(renderFields(listFields(resolveRef(document, body))))}`,
    toFence('sh', samples.curl),
    samples.typescript === undefined ? '' : toFence('ts', samples.typescript),
    createResponses(document, entry),
    createErrors(operation.operationId),
  ].join('\n\n')
}

function createParameters(
  title: string,
  parameters: readonly Parameter[] = [],
  place: Parameter['in'],
): string {
  const fields = parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, schema, required, description }) => ({
      name,
      schema,
      isRequired: required === true,
      description,
    }))
  return fields.length === 0 ? '' : `**${title}**\n\n${toBlock(renderFields(fields))}`
}

function createResponses(document: OpenApiDocument, { operation }: OperationEntry): string {
  return Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { description, content }]) => {
      const schema = content?.['application/json']?.schema
      const example = schema === undefined ? undefined : getExample(document, schema)
      return [
        `**Response ${status}**`,
        toProse(description),
        schema === undefined ? '' : toBlock(renderType(schema)),
        example === undefined ? '' : toFence('json', JSON.stringify(example, undefined, 2)),
      ].join('\n\n')
    })
    .join('\n\n')
}

function createErrors(operationId: string): string {
  const codes = [...new Set(OPERATION_CODES[operationId] ?? [])]
  const everyRequest = 'Errors of every request: see [Errors](../errors.md).'
  if (codes.length === 0) return everyRequest
  return `**Errors**\n\n${toBlock(renderCodes(codes))}\n\n${everyRequest}`
}

/** A block of HTML that neither Markdown nor Vue interprets. A blank line would end it. */
function toBlock(html: Html | string): string {
  const text = typeof html === 'string' ? html : html.text
  if (text === '') return ''
  const linked = text.replaceAll('href="#schema-', 'href="./schemas.html#schema-')
  return `<div v-pre class="api-fields">${linked.replaceAll(/\n\s*\n/g, '\n')}</div>`
}

/** Prose in which backticks mark code; what else means something in Markdown or HTML is escaped. */
export function toProse(text: string): string {
  return text
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? `\`${part}\`` : part.replaceAll(/[<>*_[\]{}]/g, '\\$&'),
    )
    .join('')
}

const toFence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``

const toName = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-')
