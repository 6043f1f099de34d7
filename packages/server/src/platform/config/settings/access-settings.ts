import { parseRates } from '../parse-rates.ts'
import type { SettingTable } from '../setting.ts'
import { parseAuditDays, parseMetricsToken, parseOneOf, parseOptional } from '../setting-parsers.ts'

/** The settings of limits of requests, the audit trail and metrics. */
export function accessSettings() {
  return {
    rates: {
      name: 'LINCHPIN_RATES',
      default: '',
      description:
        '[limits of requests per minute](#rates), such as `reads=30000,writes=3000`, or `off`',
      parse: parseRates,
    },
    auditIp: {
      name: 'LINCHPIN_AUDIT_IP',
      default: 'full',
      description:
        "what the [audit trail](audit.md) records of a client's address: `full`, `network` (IPv4 /24, IPv6 /48) or `none`; `LINCHPIN_TRUST_PROXY` determines the client",
      parse: parseOneOf(['full', 'network', 'none']),
    },
    auditDays: {
      name: 'LINCHPIN_AUDIT_DAYS',
      default: '',
      unset: 'for ever',
      description: 'days for which entries of the audit trail are retained, at least 90',
      parse: parseOptional(parseAuditDays),
    },
    metricsToken: {
      name: 'LINCHPIN_METRICS_TOKEN',
      default: '',
      unset: 'none',
      description:
        'a token of 16 to 200 characters that reads [`/metrics`](#metrics) and nothing else; if set, loopback needs a token, too',
      parse: parseOptional(parseMetricsToken),
    },
  } satisfies SettingTable
}
