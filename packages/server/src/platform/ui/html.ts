import { html as ghtml } from 'ghtml'
import { LocalizedText, stripBidiControls, type Text } from '../i18n/localized-text.ts'

/** Escaped HTML. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * Template tag for HTML. `Html` values are inserted unchanged; everything else is escaped (`& < > " '`), so attributes must be in
 * double quotes. Names of a `LocalizedText` are isolated with `<bdi>`, inside a tag with Unicode characters. Bidirectional
 * control characters are removed from displayed text; values inside a tag stay unchanged, since forms submit them.
 */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Html {
  let isInTag = false
  let text = ''
  strings.forEach((part, index) => {
    text += part
    isInTag = endsInTag(part, isInTag)
    if (index < values.length) text += renderValue(values[index], isInTag)
  })
  return new Html(text)
}

/** Escapes a text for titles and attributes; its names are isolated with Unicode characters where needed. */
export function escapeText(text: Text): Html {
  return new Html(text instanceof LocalizedText ? ghtml`${text.toString()}` : stripAndEscape(text))
}

/** Escapes an attribute value unchanged. Line breaks become character references, or parsers would normalize them. */
export function escapeAttribute(value: string): Html {
  return new Html(ghtml`${value}`.replaceAll('\r', '&#13;'))
}

function stripAndEscape(text: string): string {
  return ghtml`${stripBidiControls(text)}`
}

function renderValue(value: unknown, isInTag: boolean): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map((item) => renderValue(item, isInTag)).join('')
  if (value instanceof LocalizedText) return isInTag ? escapeText(value).text : isolateValues(value)
  if (value === undefined || value === null) return ''
  return isInTag ? escapeAttribute(String(value)).text : stripAndEscape(String(value))
}

function isolateValues({ strings, values }: LocalizedText): string {
  return strings
    .map((part, index) => {
      const inserted = values[index]
      return inserted === undefined
        ? stripAndEscape(part)
        : `${stripAndEscape(part)}<bdi>${stripAndEscape(inserted)}</bdi>`
    })
    .join('')
}

/** Inspects the template's own strings only; in values `<` and `>` are escaped. */
function endsInTag(part: string, before: boolean): boolean {
  const last = Math.max(part.lastIndexOf('<'), part.lastIndexOf('>'))
  return last === -1 ? before : part[last] === '<'
}

/** Attribute values by name. `true` renders the bare name; false, null and undefined render nothing. */
export type Attributes = Readonly<Record<string, Text | number | boolean | null | undefined>>

/**
 * Renders attributes, each with a leading space. Values are escaped and otherwise unchanged, because forms submit them.
 * Bidirectional control characters are removed only from attributes that are displayed.
 *
 * @throws TypeError when a name contains anything but lower-case letters, digits and hyphens; names must not be user input
 */
export function attributes(all: Attributes): Html {
  const rendered = Object.entries(all).map(([name, value]) => {
    if (!NAME_PATTERN.test(name)) throw new TypeError('an attribute has an unexpected name')
    if (value === undefined || value === null || value === false) return ''
    if (value === true) return ` ${name}`
    const isVisible = typeof value === 'object' || VISIBLE_ATTRIBUTES.has(name)
    const attributeValue = isVisible
      ? escapeText(typeof value === 'object' ? value : String(value))
      : escapeAttribute(String(value))
    return ` ${name}="${attributeValue.text}"`
  })
  return new Html(rendered.join(''))
}

const VISIBLE_ATTRIBUTES = new Set(['alt', 'aria-label', 'placeholder', 'title'])
const NAME_PATTERN = /^[a-z][a-z0-9-]*$/

/** The icons of our pages: 20 px, stroke 1.5, in the current text color, hidden from screen readers. */
export const ICONS = {
  search: icon('<circle cx="9" cy="9" r="5.25"/><path d="m13 13 3.75 3.75"/>'),
  check: icon('<path d="m4.5 10.5 3.75 3.75 7.25-8"/>'),
  alert: icon('<circle cx="10" cy="10" r="7.25"/><path d="M10 6.25v4.5m0 2.75v.25"/>'),
  lock: icon(
    '<rect x="4.25" y="9" width="11.5" height="7.75" rx="2"/><path d="M6.75 9V6.5a3.25 3.25 0 0 1 6.5 0V9"/>',
  ),
  external: icon(
    '<path d="M8.25 4.75h-2a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h7a2 2 0 0 0 2-2v-2M11.5 3.75h4.75v4.75M16 4 9.5 10.5"/>',
  ),
  back: icon('<path d="M16 10H4.25m5-5.25L4 10l5.25 5.25"/>', 'turns'),
  close: icon('<path d="m5.25 5.25 9.5 9.5m0-9.5-9.5 9.5"/>'),
  window: icon(
    '<rect x="3.25" y="4.25" width="13.5" height="11.5" rx="2"/><path d="M3.25 7.75h13.5"/>',
  ),
  more: icon('<path d="M4.75 10h.01M10 10h.01M15.25 10h.01" stroke-width="2.5"/>'),
  /** Our own mark, for the small print. */
  linchpin: icon(
    '<path d="M8.5 11.5a2.6 2.6 0 0 0 3.9.3l1.7-1.7a2.6 2.6 0 0 0-3.7-3.7l-.9.9m2 1.2a2.6 2.6 0 0 0-3.9-.3L5.9 9.9a2.6 2.6 0 0 0 3.7 3.7l.9-.9"/>',
  ),
  clock: icon('<circle cx="10" cy="10" r="7.25"/><path d="M10 6v4l2.75 1.75"/>'),
} as const

export type IconName = keyof typeof ICONS

/** `turns`: mirrored in right-to-left text. */
function icon(shape: string, direction = ''): Html {
  const className = direction === '' ? 'icon' : `icon ${direction}`
  return new Html(
    `<svg class="${className}" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">${shape}</svg>`,
  )
}

/**
 * A block of code with a title; it can be scrolled with the keyboard, and the page's script adds a button that copies it.
 * `language` is also a class of the block: the reader's choice between `curl` and `ts` hides the other one.
 */
export function renderCode(title: string, code: string, language: string): Html {
  return html`<figure class="code ${language}"><figcaption>${title}</figcaption><pre tabindex="0"><code>${highlight(code, language)}</code></pre></figure>
`
}

/**
 * Code as HTML in which comments, keywords, strings and literals have a class of the style sheet. It knows as much of shell,
 * TypeScript and JSON as the samples of our documentation need; other languages stay plain.
 *
 * The types of the usual highlighters add those of browsers to every file of the server.
 */
export function highlight(code: string, language: string): Html {
  const pattern = PATTERNS[language]
  if (pattern === undefined) return html`${code}`
  const parts: (Html | string)[] = []
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
    parts.push(code.slice(end, match.index), html`<span class="code-${kind}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return html`${[...parts, code.slice(end)]}`
}

const STRING = String.raw`(?<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|${'`'}(?:[^${'`'}\\]|\\.)*${'`'})`
const NUMBER = String.raw`\b(?:true|false|null|undefined|-?\d[\d_]*(?:\.\d+)?)\b`

const SHELL = new RegExp(
  String.raw`(?<comment>(?<=^|\s)#.*$)|${STRING}|(?<literal>\$\w+|\$\{\w+\})|(?<keyword>(?<=^|[|;&(]\s*)(?:curl|npm|npx|node|export|git|docker|linchpin|cd|psql|kubectl|systemctl)\b|(?<=\s)--?[A-Za-z][\w-]*)`,
  'gm',
)
const TYPESCRIPT = new RegExp(
  String.raw`(?<comment>//.*$|/\*[\s\S]*?\*/)|${STRING}|(?<literal>${NUMBER})|(?<keyword>\b(?:import|from|export|default|const|let|function|async|await|return|for|of|if|else|new|throw|try|catch|type|interface|switch|case|class|extends)\b)`,
  'gm',
)
const JSON_PATTERN = new RegExp(
  String.raw`(?<keyword>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<literal>${NUMBER})`,
  'g',
)

const PATTERNS: Readonly<Record<string, RegExp>> = {
  sh: SHELL,
  curl: SHELL,
  ts: TYPESCRIPT,
  tsx: TYPESCRIPT,
  js: TYPESCRIPT,
  json: JSON_PATTERN,
}
