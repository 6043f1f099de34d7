/**
 * The kit as `check` compiles it into an integration: the same functions, which also record keys that they do not know. Types
 * report such keys in editors; bundlers ignore types.
 */
import * as kit from '../index.ts'
import { findUnknownKeys, type KeyTree } from './find-unknown-keys.ts'
import { AUTH_KEYS, DEFINITION_KEYS, FIELD_KEYS } from './known-keys.ts'

export { CheckFailure, encodeBase64 } from '../index.ts'

export const text = watch('text', kit.text, FIELD_KEYS, 1)
export const secret = watch('secret', kit.secret, FIELD_KEYS, 1)
export const url = watch('url', kit.url, FIELD_KEYS, 1)
export const email = watch('email', kit.email, FIELD_KEYS, 1)
export const number = watch('number', kit.number, FIELD_KEYS, 1)
export const select = watch('select', kit.select, FIELD_KEYS, 2)
export const apiKey = watch('apiKey', kit.apiKey, AUTH_KEYS.apiKey)
export const basic = watch('basic', kit.basic, AUTH_KEYS.basic)
export const bearer = watch('bearer', kit.bearer, AUTH_KEYS.bearer)
export const clientCredentials = watch(
  'clientCredentials',
  kit.clientCredentials,
  AUTH_KEYS.clientCredentials,
)
export const jwtBearer = watch('jwtBearer', kit.jwtBearer, AUTH_KEYS.jwtBearer)
export const mcpServer = watch('mcpServer', kit.mcpServer, AUTH_KEYS.mcpServer)
export const none = watch('none', kit.none, AUTH_KEYS.none)
export const oauth2 = watch('oauth2', kit.oauth2, AUTH_KEYS.oauth2)
export const twoStepLogin = watch('twoStepLogin', kit.twoStepLogin, AUTH_KEYS.twoStepLogin)

/** Like that of the kit; the integration also has `unknownKeys`, one sentence for each in its file. */
export function defineIntegration(definition: kit.Definition): kit.Integration & StrictIntegration {
  record(definition, DEFINITION_KEYS, definition?.key ?? 'defineIntegration')
  return Object.assign(kit.defineIntegration(definition), { unknownKeys: [...unknownKeys] })
}

/** What `defineIntegration` adds. */
export interface StrictIntegration {
  readonly unknownKeys: readonly string[]
}

const unknownKeys = new Set<string>()

function record(value: unknown, tree: KeyTree, path: string): void {
  for (const sentence of findUnknownKeys(value, tree, path)) unknownKeys.add(sentence)
}

/** A function that records unknown keys of the argument at a position. A field is named by its title. */
function watch<Create extends (...args: never[]) => unknown>(
  name: string,
  create: Create,
  tree: KeyTree,
  optionsAt = 0,
): Create {
  const watched = (...args: never[]) => {
    const path = optionsAt === 0 ? name : `${name}(${JSON.stringify(args[0])})`
    record(args[optionsAt], tree, path)
    return create(...args)
  }
  return watched as Create
}
