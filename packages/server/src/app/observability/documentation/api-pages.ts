import { Html, html, renderCode } from '../../../platform/ui/html.ts'
import {
  listOperations,
  type OpenApiDocument,
  type Schema,
} from '../api-reference/openapi-document.ts'
import {
  listFields,
  renderCodes,
  renderFields,
  renderOperation,
  renderProse,
} from '../api-reference/render-operation.ts'
import { BODY_CODES, COMMON_CODES, KEYED_CODES, WRITE_CODES } from '../operation-codes.ts'
import { toAnchor } from './documents.ts'
import type { DocumentationPage, NavigationItem } from './render-page.ts'

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

/** The start of the reference: authentication, errors, lists and retries. */
function renderIntroduction(document: OpenApiDocument): Html {
  const url = document.servers[0]?.url ?? ''
  return html`<section id="introduction">
<h1>Linchpin API</h1>
<p>${renderProse(document.info.description)}</p>
<div class="operation"><div>
<h2 id="authentication">Authentication</h2>
<p>Every request has a token in the header <code>Authorization</code>. The first start writes the token of the owner to the file <code>owner-token</code> in the data folder. <a href="docs/api/tokens#createToken">Create a token</a> makes further ones, with fewer scopes, for one workspace, or for a limited time. A token never belongs in a browser: there, use a <a href="docs/api/connect-sessions#createConnectSession">connect session</a>.</p>
<h2 id="errors">Errors</h2>
<p>Every failure is an <a href="#schema-ApiException">ApiException</a>. Its <code>error</code> is a stable code on which a program can branch; <code>message</code> is a sentence for people and may change; <code>errors</code> names the invalid fields. The header <code>X-Request-Id</code> of each response is also in the log.</p>
<details><summary>Codes of every request</summary>${renderCodes(EVERY_REQUEST)}</details>
<h2 id="lists">Lists</h2>
<p>Lists have pages. <code>limit</code> sets their size; as long as there are more, the response has a header <code>Link</code> with <code>rel="next"</code>.</p>
<h2 id="retries">Retries</h2>
<p>Send a header <code>Idempotency-Key</code> with a random value with each POST, and repeat a request without a response: it takes effect once, and the first response is returned again. On 429 and 503 wait for the seconds in <code>Retry-After</code>.</p>
</div>
<div class="samples">
${renderCode('curl', `export LINCHPIN_TOKEN=lp_…\ncurl '${url}/api/v1/user' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN"`, 'curl')}${renderCode('TypeScript', `import { Linchpin } from '@linchpin/sdk'\n\nconst linchpin = new Linchpin({\n  baseUrl: '${url}',\n  token: LINCHPIN_TOKEN,\n})\nconst user = await linchpin.users.getCurrent()`, 'ts')}${renderCode('An error', ERROR, 'json')}</div></div>
</section>`
}

const EVERY_REQUEST = [...COMMON_CODES, ...BODY_CODES, ...KEYED_CODES, ...WRITE_CODES]

const ERROR = JSON.stringify(
  {
    timestamp: '2026-11-21T10:00:00.000Z',
    path: '/api/v1/link',
    statusCode: 400,
    status: 'INVALID_ARGUMENT',
    error: 'validation_failed',
    message: 'The request body is invalid. linkName: is required.',
    errors: { linkName: [{ code: 'required', message: 'is required.' }] },
  },
  undefined,
  2,
)
