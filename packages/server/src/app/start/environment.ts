import { type EgressGatewayOptions, parseAllowList } from '@linchpin/runner'
import { isAccessToken } from '../../access/auth/access-token.ts'
import { readOverrides } from '../../integrations/catalogue/apply-overrides.ts'
import { parseRegistryKeys } from '../../integrations/catalogue/registry/registry-signature.ts'
import { listSettingStates, parseConfig, type SettingState } from '../../platform/config/config.ts'
import { parseKeyEntries, parseKeysOrCommand } from '../../platform/vault/key-ring.ts'

/** The parsers of settings that other folders own. */
export const PARSERS = {
  keys: parseKeyEntries,
  allowList: parseAllowList,
  isToken: isAccessToken,
  registryKeys: parseRegistryKeys,
  overrides: readOverrides,
}

/** Parses the settings. @throws ConfigError with every invalid setting */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>) {
  return parseConfig(env, { ...PARSERS, keys: (text) => parseKeysOrCommand(text, env) })
}

/** The settings, without their values: an administrator sees which ones are set. */
export function listSettings(env: Readonly<Record<string, string | undefined>>): SettingState[] {
  return listSettingStates(env, PARSERS)
}

export type Config = ReturnType<typeof readEnvironment>

/** The settings that every egress gateway of a process has. */
export type EgressConfig = Pick<
  Config,
  'egressAllow' | 'egressProxy' | 'egressProxyResolves' | 'emulator'
>

/** These settings as options of a gateway. */
export function toEgressOptions({
  egressAllow: allow,
  egressProxy: proxy,
  egressProxyResolves: proxyResolves,
  emulator,
}: EgressConfig): Pick<EgressGatewayOptions, 'allow' | 'proxy' | 'proxyResolves' | 'emulator'> {
  return { allow, proxy, proxyResolves, emulator }
}
