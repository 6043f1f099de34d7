export type { ConnectedResult as Connected, Fact } from '@linchpin/runner/protocol'

import type { ExpectedValue, JsonPath, RequestTemplate } from './check-rules.ts'

/**
 * What a connection has to know after it has been made, such as the site at which an API is called: from the response to
 * a request, or from a claim of the ID or access token. Without `path` and `claim`, `connected` finds it.
 */
export interface DeclaredFact extends Partial<RequestTemplate> {
  /** Its name in `${name}` and in `facts` of the account. */
  readonly name: string
  /** What it is, for people: `Site`. */
  readonly title: string
  /** The path of a claim of the ID token, or of an access token that is a JWT. */
  readonly claim?: JsonPath
  /** The path of a list in the response or the claim; empty if that is the list. Absent: it is one object. */
  readonly list?: JsonPath
  /** The path of the value in an item, or one text of several: `${host}/${id}`. Default for a claim: the item itself. */
  readonly value?: JsonPath
  /** The path of its display name. The first path with a value is used. */
  readonly label?: JsonPath | readonly JsonPath[]
  /** Items without these values are left out. */
  readonly where?: Readonly<Record<JsonPath, FactCondition>>
  /** Which of several items is stored: that which the customer chooses, all, or the first. Default: ask. */
  readonly pick?: 'ask' | 'all' | 'first'
  /** What to do if there is none, in one sentence. */
  readonly hint?: string
  /** The texts in other languages, by language. */
  readonly i18n?: Readonly<Record<string, { readonly title?: string; readonly hint?: string }>>
}

/** An expected value, or a text that the value, or one value of a list, contains. */
export type FactCondition = ExpectedValue | { readonly contains: string }
