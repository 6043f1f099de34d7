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
