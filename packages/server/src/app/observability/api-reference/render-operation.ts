import { renderCode } from '../../../platform/ui/code.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import { OPERATION_CODES } from '../operation-codes.ts'
import { createSamples } from './create-samples.ts'
import {
  getExample,
  type OpenApiDocument,
  type OperationEntry,
  type Parameter,
  type Response,
  resolveRef,
  type Schema,
} from './openapi-document.ts'
import { renderCodes } from './render-codes.ts'
import { type Field, listFields, renderFields, renderProse, renderType } from './render-fields.ts'

/** Renders an operation: what it does, what it takes and returns on one side, samples on the other. */
export function renderOperation(document: OpenApiDocument, entry: OperationEntry): Html {
  const { method, path, operation } = entry
  const samples = createSamples(document, entry)
  return html`<section class="operation" id="${operation.operationId}">
<div>
<h2>${operation.summary} <a class="anchor" href="#${operation.operationId}" aria-label="Link to this operation">#</a></h2>
<p class="address"><code><b class="${method.toLowerCase()}">${method}</b> /api${path}</code></p>
<p>${renderProse(operation.description)}</p>
${renderParameters('Path', operation.parameters, 'path')}${renderParameters('Query', operation.parameters, 'query')}${renderBody(document, operation.requestBody?.content['application/json']?.schema)}${renderResponses(entry)}</div>
<div class="samples">
${renderCode('curl', samples.curl, 'curl')}${samples.typescript === undefined ? '' : renderCode('TypeScript', samples.typescript, 'ts')}${renderResponseExample(document, operation.responses)}</div>
</section>
`
}

function renderParameters(
  title: string,
  parameters: readonly Parameter[] = [],
  place: Parameter['in'],
): Html | string {
  const fields = parameters
    .filter((parameter) => parameter.in === place)
    .map(
      ({ name, schema, required, description }): Field => ({
        name,
        schema,
        isRequired: required === true,
        description,
      }),
    )
  return fields.length === 0 ? '' : html`<h3>${title}</h3>${renderFields(fields)}`
}

function renderBody(document: OpenApiDocument, schema: Schema | undefined): Html | string {
  if (schema === undefined) return ''
  return html`<h3>Body: ${renderType(schema)}</h3>${renderFields(listFields(resolveRef(document, schema)))}`
}

function renderResponses({ operation }: OperationEntry): Html {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(
      ([
        status,
        { description, content },
      ]) => html`<div><dt><code>${status}</code>${renderBodyType(content)}</dt><dd>${renderProse(description)}</dd></div>
`,
    )
  return html`<h3>Response</h3><dl class="fields">${rows}</dl>${renderErrors(operation.operationId)}`
}

function renderErrors(operationId: string): Html {
  const everyRequest = html`<a href="../../docs#errors">Those of every request</a>`
  const codes = OPERATION_CODES[operationId] ?? []
  return html`<h3>Errors</h3>${codes.length === 0 ? html`<p class="quiet">${everyRequest}.</p>` : html`${renderCodes([...new Set(codes)])}<p class="quiet">${everyRequest}, too.</p>`}`
}

function renderBodyType(content: Response['content']): Html | string {
  const schema = content?.['application/json']?.schema
  return schema === undefined ? '' : html` <span class="type">${renderType(schema)}</span>`
}

function renderResponseExample(
  document: OpenApiDocument,
  responses: Readonly<Record<string, Response>>,
): Html | string {
  const status = Object.keys(responses).find((name) => name.startsWith('2')) ?? ''
  const schema = responses[status]?.content?.['application/json']?.schema
  const example = schema === undefined ? undefined : getExample(document, schema)
  return example === undefined
    ? ''
    : renderCode(`Response ${status}`, JSON.stringify(example, undefined, 2), 'json')
}
