import type { ConfigParsers } from '../config-parsers.ts'
import { setting } from '../setting.ts'
import {
  parseFlag,
  parseHttpUrl,
  parseOneOf,
  parseOptional,
  parseRefreshConcurrency,
  parseUrlWithoutCredentials,
} from '../setting-parsers.ts'

/** The settings of outgoing requests, integrations and the sandbox. */
export function egressSettings<Keys, Allow>(parsers: ConfigParsers<Keys, Allow>) {
  return {
    egressAllow: setting(
      'LINCHPIN_EGRESS_ALLOW',
      '',
      'Private CIDRs or address:port that outgoing requests may reach, each optionally limited by source=, bundle=, oauth=, webhook=, keys=, telemetry=.',
      parsers.allowList,
    ),
    egressProxy: setting(
      'LINCHPIN_EGRESS_PROXY',
      '',
      'HTTP proxy for every outgoing request.',
      parseOptional(parseHttpUrl),
    ),
    egressProxyResolves: setting(
      'LINCHPIN_EGRESS_PROXY_RESOLVES',
      '0',
      '1 trusts that proxy to resolve and check host names.',
      parseFlag,
    ),
    refreshConcurrency: setting(
      'LINCHPIN_REFRESH_CONCURRENCY',
      '64',
      'Maximum number of token requests of the background refresh at a time, 4 to 4096; a quarter of them for one host.',
      parseRefreshConcurrency,
    ),
    registryUrl: setting(
      'LINCHPIN_REGISTRY_URL',
      '',
      'The registry of definitions. Default: the built-in one.',
      parseOptional(parseUrlWithoutCredentials),
    ),
    registryKeys: setting(
      'LINCHPIN_REGISTRY_KEY',
      '',
      'Ed25519 public keys that sign the registry, in base64 or PEM, comma-separated. Required with LINCHPIN_REGISTRY_URL.',
      parseOptional(parsers.registryKeys),
    ),
    acmeSandbox: setting(
      'LINCHPIN_SANDBOX',
      '1',
      '0 removes the tool Acme Sandbox, which needs no provider.',
      parseFlag,
    ),
    sandbox: setting(
      'LINCHPIN_JAIL',
      'auto',
      'require refuses to start unless bubblewrap and a seccomp filter work; auto starts without them.',
      parseOneOf(['auto', 'require']),
    ),
  }
}
