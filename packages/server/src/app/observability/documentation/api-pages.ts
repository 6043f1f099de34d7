import { renderCode } from '../../../platform/ui/code.ts'
import { Html, html } from '../../../platform/ui/html.ts'
import {
  listOperations,
  type OpenApiDocument,
  type Schema,
} from '../api-reference/openapi-document.ts'
import { listFields, renderFields, renderProse } from '../api-reference/render-fields.ts'
import { renderIntroduction } from '../api-reference/render-introduction.ts'
import { renderOperation } from '../api-reference/render-operation.ts'
import type { DocumentationPage, NavigationItem } from './render-page.ts'
import { toAnchor } from './to-page.ts'

/** The pages of the API in the order of the document's tags, which is that of a newcomer. */
export function listApiItems(document: OpenApiDocument): NavigationItem[] {
  const groups = document.tags.map(({ name }) => ({
    path: `api/${toAnchor(name)}`,
    title: name,
    operations: listOperations(document, name).map(({ method, operation }) => ({
      id: operation.operationId,
      method,
      title: operation.summary,
    })),
  }))
  return [{ path: '', title: 'Introduction' }, ...groups, { path: 'api/schemas', title: 'Schemas' }]
}

/** Renders a page of the API: that of a path of `listApiItems`. */
export function renderApiPage(document: OpenApiDocument, path: string): DocumentationPage {
  if (path === '') return apiPage(path, 'API reference', renderStart(document))
  if (path === 'api/schemas') return apiPage(path, 'Schemas', renderSchemas(document))
  const tag = document.tags.find(({ name }) => `api/${toAnchor(name)}` === path)
  if (tag === undefined) throw new RangeError(`The API has no page ${path}.`)
  return apiPage(path, tag.name, renderTag(document, tag))
}

/** Schemas have a page of their own, to which the types of fields lead. */
function apiPage(path: string, title: string, main: Html): DocumentationPage {
  const schemas = path === '' ? 'docs/api/schemas' : 'schemas'
  const text = main.text.replaceAll('href="#schema-', `href="${schemas}#schema-`)
  return { path, title, kind: 'api', main: new Html(text) }
}

function renderStart(document: OpenApiDocument): Html {
  const groups = document.tags.map(
    ({
      name,
      description,
    }) => html`<tr><td><a href="docs/api/${toAnchor(name)}">${name}</a></td><td>${renderProse(description)}</td><td>${listOperations(
      document,
      name,
    ).map(
      ({ operation }, index) =>
        html`${index === 0 ? '' : ', '}<a href="docs/api/${toAnchor(name)}#${operation.operationId}">${operation.summary.toLowerCase()}</a>`,
    )}</td></tr>
`,
  )
  return html`${renderIntroduction(document)}
<section id="resources"><h2>Resources</h2>
<div class="table" tabindex="0"><table><thead><tr><th>Resource</th><th>What it is</th><th>Operations</th></tr></thead>
<tbody>${groups}</tbody></table></div></section>`
}

function renderTag(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
): Html {
  return html`<h1>${name}</h1>
<p>${renderProse(description)}</p>
${listOperations(document, name).map((entry) => renderOperation(document, entry))}`
}

function renderSchemas({ components }: OpenApiDocument): Html {
  return html`<h1>Schemas</h1>
<p>The objects of the API.</p>
${Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema))}`
}

function renderSchema(name: string, schema: Schema): Html {
  const example = schema.examples?.[0]
  return html`<section class="operation" id="schema-${name}">
<div>
<h2>${name} <a class="anchor" href="#schema-${name}" aria-label="Link to this schema">#</a></h2>
<p>${renderProse(schema.description ?? '')}</p>
${renderFields(listFields(schema))}</div>
<div class="samples">${example === undefined ? '' : renderCode('Example', JSON.stringify(example, undefined, 2), 'json')}</div>
</section>
`
}
