import { renderCode } from '../../../platform/ui/code.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import { BODY_CODES, COMMON_CODES, KEYED_CODES, WRITE_CODES } from '../operation-codes.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { renderCodes } from './render-codes.ts'
import { renderProse } from './render-fields.ts'

/** The start of the reference: authentication, errors, lists and retries. */
export function renderIntroduction(document: OpenApiDocument): Html {
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
