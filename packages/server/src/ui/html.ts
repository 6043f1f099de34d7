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
