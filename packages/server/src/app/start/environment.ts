import { parseAllowList } from '@linchpin/runner'
import { isAccessToken } from '../../access/auth/access-token.ts'
import { parseRegistryKeys } from '../../integrations/catalogue/registry/verify-registry.ts'
import { parseConfig } from '../../platform/config/config.ts'
import { parseKeyEntries } from '../../platform/vault/key-ring.ts'
import { parseKeysOrCommand } from '../../platform/vault/run-key-command.ts'

/** The parsers of settings that other folders own. */
export const PARSERS = {
  keys: parseKeyEntries,
  allowList: parseAllowList,
  isToken: isAccessToken,
  registryKeys: parseRegistryKeys,
}

/** Parses the settings. @throws ConfigError with every invalid setting */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>) {
  return parseConfig(env, { ...PARSERS, keys: (text) => parseKeysOrCommand(text, env) })
}

export type Config = ReturnType<typeof readEnvironment>
