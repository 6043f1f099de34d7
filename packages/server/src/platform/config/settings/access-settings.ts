import { parseRates } from '../parse-rates.ts'
import { setting } from '../setting.ts'
import { parseAuditDays, parseMetricsToken, parseOneOf, parseOptional } from '../setting-parsers.ts'

/** The settings of limits of requests, the audit trail and metrics. */
export function accessSettings() {
  return {
    rates: setting(
      'LINCHPIN_RATES',
      '',
      'Limits of requests per minute, such as reads=30000,writes=3000, or off. See docs/operating.md.',
      parseRates,
    ),
    auditIp: setting(
      'LINCHPIN_AUDIT_IP',
      'full',
      "What the audit trail records of a client's address: full, network (IPv4 /24, IPv6 /48) or none.",
      parseOneOf(['full', 'network', 'none']),
    ),
    auditDays: setting(
      'LINCHPIN_AUDIT_DAYS',
      '',
      'Number of days for which entries of the audit trail are retained, at least 90. Default: for ever.',
      parseOptional(parseAuditDays),
    ),
    metricsToken: setting(
      'LINCHPIN_METRICS_TOKEN',
      '',
      'Bearer token for /metrics; if set, loopback needs a token too. Default: none.',
      parseOptional(parseMetricsToken),
    ),
  }
}
