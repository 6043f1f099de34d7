import { resolvedLocale } from './locale.js'
import { NumberFormat } from './number-format.js'

const number = new NumberFormat('en-US')

/** Intl.PluralRules of English. */
export class PluralRules {
  #ordinal
  constructor(_locales, options) {
    this.#ordinal = options?.type === 'ordinal'
  }
  select(count) {
    if (!this.#ordinal) return count === 1 ? 'one' : 'other'
    const teen = count % 100 > 10 && count % 100 < 14
    return teen ? 'other' : (['other', 'one', 'two', 'few'][count % 10] ?? 'other')
  }
  resolvedOptions() {
    return { locale: 'en-US', type: this.#ordinal ? 'ordinal' : 'cardinal' }
  }
}

/** Intl.RelativeTimeFormat of English. */
export class RelativeTimeFormat {
  #auto
  constructor(_locales, options) {
    this.#auto = options?.numeric === 'auto'
  }
  format(value, unit) {
    const name = `${unit}`.replace(/s$/, '')
    const near = { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' }[value]
    if (this.#auto && name === 'day' && near) return near
    const count = Math.abs(value)
    const text = `${number.format(count)} ${name}${count === 1 ? '' : 's'}`
    return value < 0 || Object.is(value, -0) ? `${text} ago` : `in ${text}`
  }
  resolvedOptions() {
    return {
      locale: 'en-US',
      numeric: this.#auto ? 'auto' : 'always',
      style: 'long',
    }
  }
}

/** Intl.ListFormat of English. */
export class ListFormat {
  #word
  constructor(_locales, options) {
    this.#word = options?.type === 'disjunction' ? 'or' : 'and'
  }
  format(items) {
    const list = [...items]
    if (list.length < 3) return list.join(` ${this.#word} `)
    return `${list.slice(0, -1).join(', ')}, ${this.#word} ${list.at(-1)}`
  }
}

/** Intl.Segmenter by code points, and by runs of letters for words. */
export class Segmenter {
  #words
  constructor(_locales, options) {
    this.#words = options?.granularity === 'word'
  }
  segment(input) {
    const pattern = this.#words ? /[\p{L}\p{N}_'’]+|./gsu : /.\p{M}*/gsu
    return [...input.matchAll(pattern)].map(({ 0: segment, index }) => ({
      segment,
      index,
      input,
    }))
  }
}

/** Intl.DisplayNames that knows codes only, and answers them. */
export class DisplayNames {
  of(code) {
    return `${code}`
  }
}

/** Intl.Locale: the parts of a language tag. */
export class Locale {
  constructor(tag) {
    this.baseName = resolvedLocale(tag)
    const [language, ...rest] = this.baseName.split('-')
    this.language = language
    this.region = rest.find((part) => part.length === 2)
  }
  toString() {
    return this.baseName
  }
}
