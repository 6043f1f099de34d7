import { isSecretName } from '../../platform/secret-name.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'

/** Characters of names and values that are shown. */
const MAX_SHOWN = 64 * 1024
/** Deeper values are shown as text: a page with more levels takes browsers seconds. */
const MAX_DEPTH = 40
/** Parsing more would occupy the process. */
const MAX_PARSED = 1024 * 1024

/** A value that is hidden until a person opens it. */
export function maskedValue(value: Html | string, { jsonTree }: Words): Html {
  return html`<details class="masked"><summary>${jsonTree.hidden}</summary>${value}</details>`
}

/** Headers with their values; those of secrets are hidden until they are opened. */
export function headerList(
  headers: readonly (readonly [name: string, value: string])[],
  words: Words,
): Html {
  const show = (name: string, value: string) => {
    const content = html`<code>${value}</code>`
    return isSecretName(name) && value !== REMOVED ? maskedValue(content, words) : content
  }
  return html`<dl class="facts">${headers.map(([name, value]) => html`<div><dt>${name}</dt><dd>${show(name, value)}</dd></div>`)}</dl>`
}

/** What stands for a credential in what a debug window has recorded: there is nothing to hide. */
const REMOVED = '[removed]'

/** A body as people read it: JSON as a tree, everything else as text. */
export function bodyView(text: string, words: Words): Html {
  const parsed = text.length > MAX_PARSED ? undefined : parse(text)
  if (parsed !== undefined) return jsonTree(parsed.value, words)
  const shown = text.slice(0, MAX_SHOWN)
  const isCut = shown.length < text.length
  const content = html`<pre class="body" tabindex="0"><code>${shown}</code></pre>`
  return html`${isSecretName(shown) ? maskedValue(content, words) : content}${isCut ? html`<p class="quiet">${words.jsonTree.cut}</p>` : ''}`
}

/** JSON as a tree whose parts open and close. Values of secrets are hidden until they are opened. */
export function jsonTree(value: unknown, words: Words): Html {
  const state: State = { words, left: MAX_SHOWN }
  const tree = renderValue(undefined, value, 0, state)
  return html`<div class="json">${tree}${state.left < 0 ? html`<p class="quiet">${words.jsonTree.cut}</p>` : ''}</div>`
}

interface State {
  readonly words: Words
  left: number
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text, keepNumber) }
  } catch {
    return undefined
  }
}

/** IDs of some providers are numbers that JavaScript cannot represent: they are shown as they were sent. */
function keepNumber(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source
    ? RAW_JSON.rawJSON(source)
    : value
}

/** Parts of the language that TypeScript does not declare yet. */
const RAW_JSON = JSON as typeof JSON & {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}

/** A value as JSON; three dots if it is nested too deeply to be written. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '…'
  }
}

function renderValue(name: string | undefined, value: unknown, depth: number, state: State): Html {
  const key = name === undefined ? '' : html`<span class="key">${name}</span> `
  state.left -= (name?.length ?? 0) + 1
  if (name !== undefined && isSecretName(name) && value !== null && value !== '') {
    const text = shorten(typeof value === 'string' ? value : stringify(value), state)
    return html`<div class="entry">${key}${maskedValue(html`<code>${text}</code>`, state.words)}</div>`
  }
  if (isLeaf(value) || depth === MAX_DEPTH)
    return html`<div class="entry">${key}<code>${shorten(stringify(value), state)}</code></div>`
  const entries = Array.isArray(value)
    ? value.map((item, index) => [String(index), item] as const)
    : Object.entries(value as object)
  const { jsonTree: texts } = state.words
  const size = Array.isArray(value) ? texts.items(entries.length) : texts.fields(entries.length)
  return html`<details${depth < OPEN_DEPTH ? html` open` : ''}><summary>${key}<span class="quiet">${size}</span></summary>${renderEntries(entries, depth, state)}</details>`
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || RAW_JSON.isRawJSON(value)
}

/** Deeper parts are closed at first. */
const OPEN_DEPTH = 3

function renderEntries(
  entries: readonly (readonly [string, unknown])[],
  depth: number,
  state: State,
): Html[] {
  const rendered: Html[] = []
  for (const [name, value] of entries) {
    if (state.left < 0) break
    rendered.push(renderValue(name, value, depth + 1, state))
  }
  return rendered
}

function shorten(text: string, state: State): string {
  const shown = text.slice(0, Math.max(0, state.left))
  state.left -= text.length
  return shown
}
