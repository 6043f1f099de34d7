import type { KeyObject } from 'node:crypto'

/** Parsers of other modules: each throws an Error whose message lists what is wrong. */
export interface ConfigParsers<Keys, Allow> {
  readonly keys: (text: string) => Keys
  readonly allowList: (text: string) => readonly Allow[]
  readonly isToken: (text: string) => boolean
  readonly registryKeys: (text: string) => readonly KeyObject[]
}
