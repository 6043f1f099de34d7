import { html as ghtml } from 'ghtml'
import { LocalizedText, stripBidiControls, type Text } from '../i18n/localized-text.ts'

/** A piece of a page, every text in it escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * A template of a page. Pieces go in as they are, everything else as text: `& < > " '` are escaped, so attributes must
 * stand in double quotes. The names of a phrase are set apart with `<bdi>`, inside a tag with invisible marks. Marks that change the direction of text are taken out of what
 * people read; inside a tag values stay exact, since forms send them back.
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

/** A text as it stands in titles and attributes: escaped, its names set apart with invisible marks where needed. */
export function escapeText(text: Text): Html {
  return new Html(text instanceof LocalizedText ? ghtml`${text.toString()}` : stripAndEscape(text))
}

/** A value inside a tag, as it is. A line end is written as a number, or parsers would change it. */
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

/** Only our own words are looked at: in values `<` and `>` are escaped. */
function endsInTag(part: string, before: boolean): boolean {
  const last = Math.max(part.lastIndexOf('<'), part.lastIndexOf('>'))
  return last === -1 ? before : part[last] === '<'
}
