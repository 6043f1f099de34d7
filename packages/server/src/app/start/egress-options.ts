import type { EgressGatewayOptions } from '@linchpin/runner'
import type { Config } from './environment.ts'

/** The settings that every egress gateway of a process has. */
export type EgressConfig = Pick<Config, 'egressAllow' | 'egressProxy' | 'egressProxyResolves'>

/** These settings as options of a gateway. */
export function toEgressOptions({
  egressAllow: allow,
  egressProxy: proxy,
  egressProxyResolves: proxyResolves,
}: EgressConfig): Pick<EgressGatewayOptions, 'allow' | 'proxy' | 'proxyResolves'> {
  return { allow, proxy, proxyResolves }
}
