import { LocalizedText, type Text } from '../../i18n/localized-text.ts'

/** A text of several sentences: the first says what happened and can stand out, the rest what to do. Names are never cut. */
export function firstSentence(text: Text): { readonly head: Text; readonly rest: Text } {
  const { strings, values } = text instanceof LocalizedText ? text : new LocalizedText([text], [])
  const endIndex = strings.findIndex((part) => SENTENCE_END.test(part))
  const [, end = '', begin = ''] = SENTENCE_END.exec(strings[endIndex] ?? '') ?? []
  if (endIndex < 0) return { head: text, rest: '' }
  return {
    head: new LocalizedText([...strings.slice(0, endIndex), end], values.slice(0, endIndex)),
    rest: new LocalizedText([begin, ...strings.slice(endIndex + 1)], values.slice(endIndex)),
  }
}

/** A stop, and what comes after it. */
const SENTENCE_END = /^(.*?(?:[.؟?!](?= )|。))(.*)$/s
