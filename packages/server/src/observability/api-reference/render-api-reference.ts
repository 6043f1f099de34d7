import { getAssetUrl } from '../../ui/assets.ts'
import { type Html, html } from '../../ui/html.ts'
import { listOperations, type OpenApiDocument, type Schema } from './openapi-document.ts'
import { listFields, renderFields, renderProse } from './render-fields.ts'
import { renderIntroduction } from './render-introduction.ts'
import { renderCode, renderOperation } from './render-operation.ts'

/** Renders the reference of the API as one page, without scripts. */
export function renderApiReference(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components.schemas)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Linchpin API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${getAssetUrl('favicon.svg')}">
<link rel="stylesheet" href="${getAssetUrl('reference.css')}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Operations">
<p class="title"><a href="/">Linchpin</a> API</p>
${renderNavigation(document)}</nav>
<main id="content">
${renderIntroduction(document)}
${document.tags.map((tag) => renderTag(document, tag))}
<section class="tag" id="schemas"><h2>Schemas</h2>
${schemas.map(([name, schema]) => renderSchema(name, schema))}</section>
</main>
</body>
</html>
`.text
}

function renderNavigation(document: OpenApiDocument): Html {
  const groups = document.tags.map(({ name }) => {
    const items = listOperations(document, name).map(
      ({
        method,
        operation,
      }) => html`<li><a href="#${operation.operationId}"><b class="${method.toLowerCase()}">${method}</b> ${operation.summary}</a></li>
`,
    )
    return html`<details><summary>${name}</summary><ul>
${items}</ul></details>
`
  })
  return html`<ul class="top"><li><a href="#introduction">Introduction</a></li></ul>
${groups}<ul class="top"><li><a href="#schemas">Schemas</a></li></ul>`
}

function renderTag(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
): Html {
  return html`<section class="tag" id="${toAnchor(name)}"><h2>${name}</h2>
<p>${renderProse(description)}</p>
${listOperations(document, name).map((entry) => renderOperation(document, entry))}</section>
`
}

function renderSchema(name: string, schema: Schema): Html {
  const example = schema.examples?.[0]
  return html`<section class="operation" id="schema-${name}">
<div>
<h3>${name} <a class="anchor" href="#schema-${name}" aria-label="Link to this schema">#</a></h3>
<p>${renderProse(schema.description ?? '')}</p>
${renderFields(listFields(schema))}</div>
<div class="samples">${example === undefined ? '' : renderCode('Example', JSON.stringify(example, undefined, 2), 'json')}</div>
</section>
`
}

const toAnchor = (name: string): string => name.toLowerCase().replaceAll(' ', '-')
