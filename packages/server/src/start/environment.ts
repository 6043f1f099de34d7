import { parseAllowList } from '@linchpin/runner'
import { isAccessToken } from '../auth/access-token.ts'
import { parseRegistryKeys } from '../catalogue/registry/parse-registry-keys.ts'
import { parseConfig } from '../config/config.ts'
import { parseKeys } from '../vault/key-ring.ts'

/** The parsers of settings that belong to other parts. */
export const PARSERS = {
  keys: parseKeys,
  allowList: parseAllowList,
  isToken: isAccessToken,
  registryKeys: parseRegistryKeys,
}

/** Reads the settings of a start. @throws ConfigError with every mistake */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>) {
  return parseConfig(env, PARSERS)
}

export type Config = ReturnType<typeof readEnvironment>
