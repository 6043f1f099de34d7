import { Phrase, type Text } from '../../page/phrase.ts'

/** A text of several sentences: the first says what happened and can stand out, the rest what to do. Names are never cut. */
export function headOf(text: Text): { readonly head: Text; readonly rest: Text } {
  const { words, names } = text instanceof Phrase ? text : new Phrase([text], [])
  const at = words.findIndex((part) => END.test(part))
  const [, end = '', begin = ''] = END.exec(words[at] ?? '') ?? []
  if (at < 0) return { head: text, rest: '' }
  return {
    head: new Phrase([...words.slice(0, at), end], names.slice(0, at)),
    rest: new Phrase([begin, ...words.slice(at + 1)], names.slice(at)),
  }
}

/** A stop, and what comes after it. */
const END = /^(.*?(?:[.؟?!](?= )|。))(.*)$/s
